/* The project's version; CHANGELOG.md says what is in it. */
#ifndef MNM_VERSION_H
#define MNM_VERSION_H

#define MNM_VERSION "0.1.0"

/* By this mark `mnm doctor` finds the version in a file of ours. */
#define MNM_VERSION_MARK "mnm version: "
extern const char version_mark[];

#endif
