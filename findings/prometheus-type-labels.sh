#!/usr/bin/env bash
# With the feature `type-and-unit-labels`, the alert rule `expiry_seconds and expiry_seconds - answer_seconds < 10` of
# Prometheus 3.5.3 never fires, and its health is "ok": raw series have the labels __type__ and __unit__, results of
# arithmetic do not, and `and` matches by all labels. `and ignoring (__type__, __unit__)` fires.
# Seen with Debian's prometheus 3.5.3+ds1-6 on 2026-11-28:
#   without the feature: firing: Ignoring Plain, health: ok ok
#   with the feature: firing: Ignoring, health: ok ok
set -eu
package=prometheus=3.5.3+ds1-6
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

# Fetches the package from the mirror of the machine, with lists of its own, and unpacks it.
. /etc/os-release
mirror=$(apt-get update --print-uris | sed -n "s#^'\(.*\)/dists/$VERSION_CODENAME/InRelease'.*#\1#p" | head -n 1)
echo "deb $mirror sid main" >"$work/sources.list"
mkdir -p "$work"/{lists,archives}/partial
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
  -o "Dir::Cache=$work" -o APT::Sandbox::User=root -o Acquire::Languages=none)
cd "$work"
"${apt[@]}" update && "${apt[@]}" download "$package"
dpkg -x prometheus_*.deb root

mkdir target
printf '# TYPE %s gauge\n%s %s\n' expiry_seconds expiry_seconds 9 answer_seconds answer_seconds 4 >target/metrics
cat >target.py <<'END'
import http.server
class Target(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Type', 'text/plain; version=0.0.4')
        self.end_headers()
        self.wfile.write(open('target/metrics', 'rb').read())
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(('127.0.0.1', 0), Target)
open('port', 'w').write(str(server.server_port))
server.serve_forever()
END
python3 target.py &
pids+=("$!")
for _ in $(seq 50); do [ -s port ] && break; sleep 0.1; done
cat >prometheus.yml <<END
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs: [{job_name: target, static_configs: [{targets: ['127.0.0.1:$(cat port)']}]}]
END

cat >rules.yml <<'END'
groups:
  - name: expiry
    rules:
      - {alert: Plain, expr: expiry_seconds and expiry_seconds - answer_seconds < 10}
      - {alert: Ignoring, expr: 'expiry_seconds and ignoring (__type__, __unit__) expiry_seconds - answer_seconds < 10'}
END

# Sets `seen` to the alerts that fire in a Prometheus with these features, and to the health of the rules.
seen_with() {
  local address pid
  address=127.0.0.1:$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  root/usr/bin/prometheus --config.file=prometheus.yml "--storage.tsdb.path=data$1" "--web.listen-address=$address" \
    "--enable-feature=$1" 2>/dev/null &
  pid=$!
  pids+=("$pid")
  read_rules() {
    curl -s "http://$address/api/v1/rules" | python3 -c '
import json, sys
rules = sorted(json.load(sys.stdin)["data"]["groups"][0]["rules"], key=lambda rule: rule["name"])
print("firing:", *(rule["name"] for rule in rules if rule["state"] == "firing"), end=", ")
print("health:", *(rule["health"] for rule in rules))' 2>/dev/null || true
  }
  for _ in $(seq 60); do case "$(read_rules)" in *Ignoring*) break ;; esac; sleep 0.5; done
  # Some more evaluations, in which the other rule could fire.
  sleep 3
  seen=$(read_rules)
  kill "$pid"
}

seen_with ''
without=$seen
seen_with type-and-unit-labels
echo "without the feature: $without"
echo "with the feature: $seen"
[ "$without" = 'firing: Ignoring Plain, health: ok ok' ] && [ "$seen" = 'firing: Ignoring, health: ok ok' ] && exit
echo 'changed'
exit 1
