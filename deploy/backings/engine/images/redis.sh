#!/bin/sh
exec "$@" --protected-mode no
