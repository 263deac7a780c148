# Builds the image of the daemon. It needs no npm at run time, runs as an unprivileged user, and works with a read-only
# root file system.
ARG BASE=node:24-bookworm-slim

# Images for all platforms get the same files, so this part runs on the platform of the machine that builds them.
FROM --platform=$BUILDPLATFORM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY build build
COPY src src
# The image runs on Linux alone.
RUN npm run build && rm dist/node_modules/better-sqlite3/prebuilds/darwin-* dist/node_modules/better-sqlite3/prebuilds/win32-*

FROM ${BASE}
LABEL org.opencontainers.image.title="proxywatch" \
      org.opencontainers.image.description="Unofficial monitoring daemon and Prometheus exporter for accounts at Byteful (formerly Ping Proxies), or at any proxy provider that speaks the same API" \
      org.opencontainers.image.licenses="Apache-2.0"
# The daemon does not need package managers, and without them an intruder can do less.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn* \
      /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && ln -s /app/dist/main.js /usr/local/bin/proxywatch \
 && mkdir -p /data /etc/proxywatch \
 && chown 65532:65532 /data
COPY LICENSE package.json /app/
COPY --from=build /app/dist /app/dist

# These are defaults, which the configuration overrides.
ENV NODE_ENV=production \
    PROXYWATCH_LISTEN=0.0.0.0:9876 \
    PROXYWATCH_STORE=/data/proxywatch.db
VOLUME /data
EXPOSE 9876
# A numeric user lets Kubernetes check that it is not root.
USER 65532:65532
WORKDIR /data
HEALTHCHECK --interval=30s --timeout=5s --start-period=2m CMD ["node", "/app/dist/health-check.js"]
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["run", "--config", "/etc/proxywatch/config.yaml"]
