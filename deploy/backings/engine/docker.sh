#!/bin/sh
# In place of the `docker` command, where there is none.
if [ "$1" = compose ]; then
  shift
  exec "$DOCKER_CONFIG/cli-plugins/docker-compose" "$@"
fi
exec podman --url "$DOCKER_HOST" "$@"
