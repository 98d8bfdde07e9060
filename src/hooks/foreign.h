/* Types of the graphics APIs, whose headers a machine need not have: no more
 * than how they are passed. */
#ifndef MNM_FOREIGN_H
#define MNM_FOREIGN_H

typedef unsigned int GLuint, GLenum, VdpDevice, VdpVideoSurface,
	VdpOutputSurface;
typedef int EGLint, CUGLDeviceList;
typedef void *EGLImageKHR, *EGLStreamKHR, *EGLSyncKHR, *CUeglStreamConnection;
typedef void VdpGetProcAddress(void);

/* In memory on the stack when it is passed, whatever it holds. */
struct foreign_frame {
	char bytes[128];
};
#define CUeglFrame struct foreign_frame

#endif
