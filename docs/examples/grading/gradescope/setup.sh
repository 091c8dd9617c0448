#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image of the autograder.
set -euo pipefail
apt-get update
apt-get install -y python3 python3-pip nodejs npm
pip3 install scramble
