#!/bin/bash
# Archives /srv/data every night. The script stops at the first command that fails, and cron mails the reason.
set -euo pipefail

# Two runs at the same time are prevented by a lock, which the kernel releases when the script ends.
exec 9>/run/backup.lock
flock --nonblock 9

archive="/srv/backup/$(date +%F).tgz"
tar --create --gzip --file "$archive.part" --directory /srv data

# The archive is read back in full before it counts as done. A rename makes it visible.
tar --list --gzip --file "$archive.part" > /dev/null
mv "$archive.part" "$archive"

# Only the newest seven archives are kept.
ls -t /srv/backup/*.tgz | tail -n +8 | xargs -r rm --
