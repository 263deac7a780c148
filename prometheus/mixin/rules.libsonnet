{
  prometheusRules+:: {
    groups+: (import 'generated/rules.json').groups,
  },
}
