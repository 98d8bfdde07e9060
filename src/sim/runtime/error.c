#include "runtime.h"

struct row {
	cudaError_t error;
	const char *name, *text;
};

/* clang-format off */
#define ROW(name, text) {cudaError##name, "cudaError" #name, text}
static const struct row rows[] = {
	{cudaSuccess, "cudaSuccess", "no error"},
	ROW(InvalidValue, "an argument is out of its range"),
	ROW(MemoryAllocation, "out of memory"),
	ROW(InitializationError, "the driver is not initialised"),
	ROW(CudartUnloading, "the driver is shutting down"),
	ROW(ProfilerDisabled, "the profiler is disabled"),
	ROW(InvalidConfiguration, "the launch's grid or block is not possible"),
	ROW(InvalidPitchValue, "the pitch is out of its range"),
	ROW(InvalidSymbol, "no such device variable"),
	ROW(InvalidHostPointer, "not a host pointer"),
	ROW(InvalidDevicePointer, "not a device pointer"),
	ROW(InvalidTexture, "not a texture"),
	ROW(InvalidTextureBinding, "the texture is not bound"),
	ROW(InvalidChannelDescriptor, "the channel description is not valid"),
	ROW(InvalidMemcpyDirection, "not a direction to copy in"),
	ROW(InvalidFilterSetting, "not a filter for this texture"),
	ROW(InvalidNormSetting, "this texture cannot be read normalised"),
	ROW(StubLibrary, "the library is a stub"),
	ROW(InsufficientDriver,
	    "no driver, or one older than the runtime needs"),
	ROW(CallRequiresNewerDriver, "the call needs a newer driver"),
	ROW(InvalidSurface, "not a surface"),
	ROW(DuplicateVariableName, "two variables share a name"),
	ROW(DuplicateTextureName, "two textures share a name"),
	ROW(DuplicateSurfaceName, "two surfaces share a name"),
	ROW(DevicesUnavailable, "the devices are busy or forbidden"),
	ROW(IncompatibleDriverContext,
	    "the current context does not suit the runtime"),
	ROW(MissingConfiguration, "a launch without its configuration"),
	ROW(LaunchMaxDepthExceeded, "launches are nested too deeply"),
	ROW(LaunchFileScopedTex,
	    "the kernel reads a texture of its file's scope"),
	ROW(LaunchFileScopedSurf,
	    "the kernel uses a surface of its file's scope"),
	ROW(SyncDepthExceeded, "a synchronisation is nested too deeply"),
	ROW(LaunchPendingCountExceeded, "too many launches are pending"),
	ROW(InvalidDeviceFunction, "no such kernel for this device"),
	ROW(NoDevice, "no device"),
	ROW(InvalidDevice, "no device of this number"),
	ROW(DeviceNotLicensed, "the device has no licence"),
	ROW(SoftwareValidityNotEstablished,
	    "the software could not be validated"),
	ROW(StartupFailure, "the runtime could not start"),
	ROW(InvalidKernelImage, "the image is not device code"),
	ROW(DeviceUninitialized, "no valid context is current"),
	ROW(MapBufferObjectFailed, "the buffer could not be mapped"),
	ROW(UnmapBufferObjectFailed, "the buffer could not be unmapped"),
	ROW(ArrayIsMapped, "the array is mapped"),
	ROW(AlreadyMapped, "the resource is mapped already"),
	ROW(NoKernelImageForDevice, "no device code for this device"),
	ROW(AlreadyAcquired, "the resource is acquired already"),
	ROW(NotMapped, "the resource is not mapped"),
	ROW(NotMappedAsArray, "the resource is not mapped as an array"),
	ROW(NotMappedAsPointer, "the resource is not mapped as a pointer"),
	ROW(ECCUncorrectable, "an uncorrectable memory error"),
	ROW(UnsupportedLimit, "the device has no such limit"),
	ROW(DeviceAlreadyInUse, "another thread uses the device"),
	ROW(PeerAccessUnsupported,
	    "the devices cannot reach each other's memory"),
	ROW(InvalidPtx, "the PTX does not compile"),
	ROW(InvalidGraphicsContext, "the graphics context is not valid"),
	ROW(NvlinkUncorrectable, "an uncorrectable NVLink error"),
	ROW(JitCompilerNotFound, "the PTX compiler is missing"),
	ROW(UnsupportedPtxVersion, "the PTX is newer than its compiler"),
	ROW(JitCompilationDisabled, "PTX may not be compiled"),
	ROW(InvalidSource, "the kernel's source is not valid"),
	ROW(FileNotFound, "no such file"),
	ROW(SharedObjectSymbolNotFound, "a shared object lacks a symbol"),
	ROW(SharedObjectInitFailed, "a shared object could not start"),
	ROW(OperatingSystem, "a call to the operating system failed"),
	ROW(InvalidResourceHandle, "not a valid stream, event or other handle"),
	ROW(IllegalState, "the resource is in the wrong state"),
	ROW(LossyQuery, "the answer would be incomplete"),
	ROW(SymbolNotFound, "no such name"),
	ROW(NotReady, "work is still under way"),
	ROW(IllegalAddress, "a kernel used an address that is not its own"),
	ROW(LaunchOutOfResources, "the launch needs more than the device has"),
	ROW(LaunchTimeout, "the kernel ran for too long"),
	ROW(LaunchIncompatibleTexturing,
	    "the kernel's texture mode does not fit"),
	ROW(PeerAccessAlreadyEnabled, "access to this peer is on already"),
	ROW(PeerAccessNotEnabled, "access to this peer is not on"),
	ROW(SetOnActiveProcess, "too late: the context is made"),
	ROW(ContextIsDestroyed, "the current context is destroyed"),
	ROW(Assert, "an assertion failed on the device"),
	ROW(TooManyPeers, "no room for another peer"),
	ROW(HostMemoryAlreadyRegistered, "the memory is registered already"),
	ROW(HostMemoryNotRegistered, "the memory is not registered"),
	ROW(HardwareStackError, "a device stack is corrupt"),
	ROW(IllegalInstruction, "a kernel ran into an illegal instruction"),
	ROW(MisalignedAddress, "a kernel used a misaligned address"),
	ROW(InvalidAddressSpace, "a kernel used an address in the wrong space"),
	ROW(InvalidPc, "a kernel's program counter went astray"),
	ROW(LaunchFailure, "a kernel failed"),
	ROW(CooperativeLaunchTooLarge,
	    "too many blocks for a cooperative launch"),
	ROW(NotPermitted, "not permitted"),
	ROW(NotSupported, "not supported"),
	ROW(SystemNotReady, "the system is not ready"),
	ROW(SystemDriverMismatch, "the driver's parts do not fit each other"),
	ROW(CompatNotSupportedOnDevice,
	    "compatibility mode does not cover the device"),
	ROW(StreamCaptureUnsupported,
	    "not possible while a stream is captured"),
	ROW(StreamCaptureInvalidated, "the capture was invalidated"),
	ROW(StreamCaptureMerge, "two captures may not be joined"),
	ROW(StreamCaptureUnmatched, "the stream does not lead this capture"),
	ROW(StreamCaptureUnjoined,
	    "the capture has streams that were not joined"),
	ROW(StreamCaptureIsolation,
	    "the work depends on work outside the capture"),
	ROW(StreamCaptureImplicit, "the legacy stream would be drawn in"),
	ROW(CapturedEvent, "the event belongs to a capture"),
	ROW(StreamCaptureWrongThread, "another thread began the capture"),
	ROW(Timeout, "the time ran out"),
	ROW(GraphExecUpdateFailure, "the graph could not be updated"),
	ROW(ExternalDevice, "an external device failed"),
	ROW(InvalidClusterSize, "the cluster size is not possible"),
	ROW(Unknown, "an unknown error"),
};
/* clang-format on */

static const struct row *row_find(cudaError_t error)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].error == error)
			return &rows[i];
	return NULL;
}

EXPORT const char *cudaGetErrorName(cudaError_t error)
{
	const struct row *row = row_find(error);

	return row ? row->name : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(cudaError_t error)
{
	const struct row *row = row_find(error);

	return row ? row->text : "unrecognized error code";
}
