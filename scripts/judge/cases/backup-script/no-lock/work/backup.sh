#!/bin/bash
set -euo pipefail
target="/srv/backup/$(date +%Y-%m-%d).tar.gz"
tar --create --gzip --file "$target" /srv/data
gzip --test "$target"
find /srv/backup -name '*.tar.gz' -mtime +7 -delete
