// The alerts, recording rules and dashboards of proxywatch. README.md shows how to use them.
(import 'config.libsonnet') +
(import 'alerts.libsonnet') +
(import 'rules.libsonnet') +
(import 'dashboards.libsonnet')
