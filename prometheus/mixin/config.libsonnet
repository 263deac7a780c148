{
  _config+:: {
    // The address of your copy of the documentation, or of its page about alerts (ending with .html or .md).
    // Alerts get a runbook_url, and dashboards link to runbooks. With null, there are no such links.
    docsUrl: null,
    // The severities of alerts by their names, such as { DataStale: 'critical' }.
    severities: {},
    // The names of alerts to leave out.
    disabledAlerts: [],
    // Labels to add to all alerts, such as { team: 'data' }.
    alertLabels: {},
    // The beginning of the titles of all dashboards.
    dashboardTitlePrefix: 'proxywatch / ',
    // The tags of all dashboards. The menu of each dashboard lists the dashboards with these tags.
    dashboardTags: ['proxywatch'],
  },
}
