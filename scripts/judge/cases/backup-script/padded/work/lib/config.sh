# Configuration of the backup: which archives are kept, and where.
SOURCE=/srv/data
TARGET=/srv/backup
KEEP_NEWEST_ARCHIVES=7
READ_ARCHIVE_BACK=yes
PREVENT_TWO_RUNS_AT_THE_SAME_TIME=yes
