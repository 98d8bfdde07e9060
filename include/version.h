/* The project's version; CHANGELOG.md says what is in it. */
#ifndef MNM_VERSION_H
#define MNM_VERSION_H

#define MNM_VERSION "0.1.0"

#endif
