# Logging for the backup script.
info() { printf '%s INFO %s\n' "$(date -Is)" "$1"; }
warn() { printf '%s WARN %s\n' "$(date -Is)" "$1"; }
fail() { printf '%s FAIL %s\n' "$(date -Is)" "$1"; exit 1; }
