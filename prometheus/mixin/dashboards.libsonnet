local alertsPage = import 'alerts-page.libsonnet';
local titlePrefix = 'proxywatch / ';

{
  local config = $._config,

  local withRunbooks(variable) =
    if config.docsUrl == null || variable.name != 'runbooks' then variable
    else variable { query: alertsPage(config.docsUrl) },

  local configured(dashboard) = dashboard {
    title: config.dashboardTitlePrefix + std.strReplace(super.title, titlePrefix, ''),
    tags: config.dashboardTags,
    links: [link { tags: config.dashboardTags } for link in super.links],
    templating+: { list: [withRunbooks(variable) for variable in super.list] },
  },

  grafanaDashboards+:: {
    'proxywatch-account.json': configured(import '../../grafana/dashboards/account.json'),
    'proxywatch-billing.json': configured(import '../../grafana/dashboards/billing.json'),
    'proxywatch-daemon.json': configured(import '../../grafana/dashboards/daemon.json'),
    'proxywatch-errors.json': configured(import '../../grafana/dashboards/errors.json'),
    'proxywatch-money.json': configured(import '../../grafana/dashboards/money.json'),
    'proxywatch-overview.json': configured(import '../../grafana/dashboards/overview.json'),
    'proxywatch-proxy.json': configured(import '../../grafana/dashboards/proxy.json'),
    'proxywatch-quotas.json': configured(import '../../grafana/dashboards/quotas.json'),
    'proxywatch-tests.json': configured(import '../../grafana/dashboards/tests.json'),
    'proxywatch-traffic.json': configured(import '../../grafana/dashboards/traffic.json'),
    'proxywatch-user.json': configured(import '../../grafana/dashboards/user.json'),
  },
}
