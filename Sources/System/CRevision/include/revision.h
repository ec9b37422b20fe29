#ifndef CRevision_H
#define CRevision_H

/* Commit of which the program was packaged, or an empty text. */
const char *countersign_revision(void);

#endif
