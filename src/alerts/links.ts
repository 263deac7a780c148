// Builds the links of an alert from the configured addresses. All of them are absolute URLs.

/** The configured addresses; undefined if the configuration has none. */
export interface LinkSettings {
  /** The documentation as a site, or the page of the alerts itself if it ends with .html or .md. */
  readonly docsUrl?: string | undefined;
  /** The address at which users reach the status page. */
  readonly externalUrl?: string | undefined;
  readonly dashboardUrl?: string | undefined;
}

/** Links by the names of their annotations. A link without a configured address is left out. */
export interface Links {
  readonly runbook_url?: string;
  readonly status_page_url?: string;
  readonly dashboard_url?: string;
}

const ALERTS_PAGE = 'alerts.html';

/** Returns the address of the alert's section in the documentation; undefined if the documentation's is unknown. */
export const runbookUrlOf = (alert: string, { docsUrl }: LinkSettings): string | undefined => {
  if (docsUrl === undefined) return undefined;
  const page = /\.(html|md)$/.test(docsUrl) ? docsUrl : `${docsUrl.replace(/\/$/, '')}/${ALERTS_PAGE}`;
  return `${page}#${alert.toLowerCase()}`;
};

export const linksOf = (alert: string, settings: LinkSettings): Links => {
  const runbook_url = runbookUrlOf(alert, settings);
  const { externalUrl, dashboardUrl } = settings;
  return {
    ...(runbook_url !== undefined && { runbook_url }),
    ...(externalUrl !== undefined && { status_page_url: externalUrl }),
    ...(dashboardUrl !== undefined && { dashboard_url: dashboardUrl }),
  };
};
