// Finds where a receiver of remote write answers queries.

const WRITE_PATH = /\/api\/v1\/write\/?$/;
/** The paths of queries of the HTTP API, any of which somebody may paste. */
const QUERY_PATHS = /\/api\/v1(?:\/query(?:_range)?)?\/*$/;
const QUERY_PATH = '/api/v1/query';

/**
 * Returns the address of instant queries. `queryUrl` is the address without `/api/v1/query`, as Grafana has it, or with
 * it. Without it, the address is concluded from the address for writing, if that is of Prometheus or VictoriaMetrics.
 * Undefined if it is not. Both addresses may contain a token.
 */
export const queryAddress = (url: string, queryUrl: string | undefined): string | undefined => {
  const base = new URL(queryUrl ?? url);
  if (queryUrl === undefined && !WRITE_PATH.test(base.pathname)) return undefined;
  const path = base.pathname.replace(WRITE_PATH, '').replace(QUERY_PATHS, '').replace(/\/+$/, '');
  base.pathname = path + QUERY_PATH;
  return base.href;
};
