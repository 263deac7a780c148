#!/usr/bin/env bash
# Prometheus 3.5.3 drops all histograms of a target with `convert_classic_histograms_to_nhcb: true`, and logs nothing, unless
# it runs with the feature `native-histograms`. The scrape counts as a success, and its samples as scraped.
# Seen with Debian's prometheus 3.5.3+ds1-6 on 2026-11-28:
#   without the feature: up 1, scraped 2, stored series of the histogram 0, lines about it in the log 0
#   with the feature: up 1, scraped 2, stored series of the histogram 1, lines about it in the log 0
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
printf '# TYPE answer_seconds histogram\nanswer_seconds_bucket{le="1"} 1\nanswer_seconds_bucket{le="+Inf"} 2\n' >target/metrics
printf 'answer_seconds_sum 3\nanswer_seconds_count 2\n# TYPE other gauge\nother 1\n' >>target/metrics
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
global: {scrape_interval: 1s, convert_classic_histograms_to_nhcb: true}
scrape_configs: [{job_name: target, static_configs: [{targets: ['127.0.0.1:$(cat port)']}]}]
END

# Prints what a Prometheus with these features stored.
seen_with() {
  local address pid
  address=127.0.0.1:$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  root/usr/bin/prometheus --config.file=prometheus.yml "--storage.tsdb.path=data$1" "--web.listen-address=$address" \
    "--enable-feature=$1" 2>"log$1" &
  pid=$!
  pids+=("$pid")
  value() {
    curl -s "http://$address/api/v1/query" --data-urlencode "query=$1" |
      python3 -c 'import json, sys; r = json.load(sys.stdin)["data"]["result"]; print(r[0]["value"][1] if r else 0)' 2>/dev/null || echo 0
  }
  for _ in $(seq 60); do [ "$(value 'count_over_time(up[1m]) > 3')" != 0 ] && break; sleep 0.5; done
  seen="up $(value up), scraped $(value scrape_samples_scraped), stored series of the histogram $(value 'count({__name__=~"answer.*"})'), lines about it in the log $(grep -c answer "log$1" || true)"
  kill "$pid"
}

seen_with ''
without=$seen
seen_with native-histograms
echo "without the feature: $without"
echo "with the feature: $seen"
case "$without" in *'histogram 0, lines about it in the log 0') ;; *) echo 'changed'; exit 1 ;; esac
case "$seen" in *'histogram 1,'*) ;; *) echo 'changed'; exit 1 ;; esac
