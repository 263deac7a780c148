local alertsPage = import 'alerts-page.libsonnet';
local groups = (import 'generated/alerts.json').groups;
local names = [rule.alert for group in groups for rule in group.rules];

// Returns the given names, or fails if an alert does not exist. Otherwise a misspelled name would have no effect.
local checked(option, given) =
  local unknown = [name for name in given if !std.member(names, name)];
  if unknown == [] then given
  else error '%s: proxywatch has no alert called %s' % [option, std.join(' or ', unknown)];

{
  local config = $._config,
  local changed = checked('severities', std.objectFields(config.severities)),
  local disabled = checked('disabledAlerts', config.disabledAlerts),

  local configured(rule) = rule {
    labels+: config.alertLabels + (
      if std.member(changed, rule.alert) then { severity: config.severities[rule.alert] } else {}
    ),
    annotations+:
      if config.docsUrl == null then {}
      else { runbook_url: alertsPage(config.docsUrl) + '#' + std.asciiLower(rule.alert) },
  },

  prometheusAlerts+:: {
    groups+: [
      group { rules: [configured(rule) for rule in super.rules if !std.member(disabled, rule.alert)] }
      for group in groups
    ],
  },
}
