/* device.h - character devices behind file descriptions (devfs.h names them) */
#ifndef WK_KERN_DEVICE_H
#define WK_KERN_DEVICE_H

#include "kern/file.h"
#include "vfs/vfs.h"

/* A description over the device node; takes its reference on success. -WK_ENXIO for a device that
 * nothing is behind, -WK_ENOMEM. */
int wk_device_open(struct wk_kern *k, struct wk_vfile *node, uint8_t flags, struct wk_file **out);

#endif
