#!/bin/sh
# Runs a script with the Python of the environment in FOLDER if there is one, else with the system's.
# usage: python.sh FOLDER SCRIPT [ARGUMENT]...
folder=$1
shift
if [ -x "$folder/bin/python" ]; then exec "$folder/bin/python" "$@"; fi
command -v python3 > /dev/null && exec python3 "$@"
echo "skipped: there is no python3"
exit 77
