// Renames the label `endpoint` of alerts to `api_endpoint`, so that service discovery cannot overwrite it.

const rename = (table: string): string =>
  `UPDATE ${table} SET labels = replace(labels, '"endpoint":', '"api_endpoint":')
WHERE alert = 'ProviderEndpointForbidden';`;

/**
 * Keys of groups keep the former name, because a service such as PagerDuty knows the open incident by the key. Waiting
 * notifications are delivered with the former label.
 */
export const API_ENDPOINT_LABEL = `
${['alert', 'told_alert', 'alert_history'].map(rename).join('\n')}
UPDATE silence SET subject = 'api_' || subject WHERE subject GLOB 'endpoint=*';
`;
