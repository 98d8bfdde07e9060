/* Types of the graphics APIs, whose headers a machine need not have: no more
 * than how they are passed. */
#ifndef MNM_GRAPHICS_TYPES_H
#define MNM_GRAPHICS_TYPES_H

typedef unsigned int GLuint, GLenum, VdpDevice, VdpVideoSurface,
	VdpOutputSurface;
typedef int EGLint, CUGLDeviceList;
typedef void *EGLImageKHR, *EGLStreamKHR, *EGLSyncKHR, *CUeglStreamConnection;
typedef void VdpGetProcAddress(void);

/* In memory on the stack when it is passed, whatever it holds. */
struct egl_frame {
	char bytes[128];
};
#define CUeglFrame struct egl_frame

#endif
