/* Types of the graphics APIs, whose headers a machine need not have. They only
 * say how a value of each type is passed. */
#ifndef MNM_GRAPHICS_TYPES_H
#define MNM_GRAPHICS_TYPES_H

typedef unsigned int GLuint, GLenum, VdpDevice, VdpVideoSurface,
	VdpOutputSurface;
typedef int EGLint, CUGLDeviceList;
typedef void *EGLImageKHR, *EGLStreamKHR, *EGLSyncKHR, *CUeglStreamConnection;
typedef void VdpGetProcAddress(void);

/* A value of this type is passed in memory, on the stack, whatever its fields
 * are. */
struct egl_frame {
	char bytes[128];
};
#define CUeglFrame struct egl_frame

#endif
