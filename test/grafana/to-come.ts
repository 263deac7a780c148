// What the dashboards already ask for and the daemon does not show yet. Empty it when that has come.

/** Families of alerts that the daemon evaluates and sends itself. */
export const TO_COME = [
  'proxywatch_alert_firing',
  'proxywatch_notifications_total',
  'proxywatch_notifications_waiting',
];
