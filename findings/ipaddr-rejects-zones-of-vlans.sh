#!/usr/bin/env bash
# ipaddr.js 2.5.0 rejects an IPv6 address whose zone has a dot, a dash or a colon. Linux names the interfaces of VLANs, bridges and
# aliases so, and Node.js gives a link-local peer on one of them with this zone as `socket.remoteAddress`, which `net.isIP` accepts.
# `isValid` answers false, and `parse` and `process` throw.
# Seen with ipaddr.js 2.5.0 and Node.js 24.21.0 on 2026-11-30:
#   fe80::1%eth0      net.isIP 6  isValid true   process fe80::1%eth0
#   fe80::1%eth0.100  net.isIP 6  isValid false  process throws: the address has neither IPv6 nor IPv4 format
#   fe80::1%br-lan    net.isIP 6  isValid false  process throws: the address has neither IPv6 nor IPv4 format
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" ipaddr.js@2.5.0 >/dev/null
cat >seen.cjs <<'END'
const { isIP } = require('node:net');
const ipaddr = require('ipaddr.js');
const processed = (text) => {
  try {
    return String(ipaddr.process(text));
  } catch (error) {
    return `throws: ${error.message.replace('ipaddr: ', '')}`;
  }
};
for (const text of ['fe80::1%eth0', 'fe80::1%eth0.100', 'fe80::1%br-lan'])
  console.log(`${text.padEnd(16)}  net.isIP ${isIP(text)}  isValid ${String(ipaddr.isValid(text)).padEnd(5)}  process ${processed(text)}`);
END
seen=$(node seen.cjs)
echo "$seen"
[ "$(grep -c 'net.isIP 6  isValid false  process throws' <<<"$seen")" = 2 ] || { echo 'changed'; exit 1; }
