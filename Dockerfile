# The image of Umpire. docs/operating.md describes how to pin the base image by digest.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The `node` package brings Node 24 for machines with an older one. The image already has it.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node node_modules/.bin/node

# Of the service, the page imports the addresses of the API, and types, which the build erases.
FROM ${NODE_IMAGE} AS page
WORKDIR /app/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY web ./
COPY src/contract/addresses.ts ../src/contract/
RUN npm run build

FROM ${NODE_IMAGE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends git ca-certificates tini \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY src ./src
COPY --from=page /app/web/dist ./web/dist
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
# The same values as in bin/umpire, which explains them.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
VOLUME /data
EXPOSE 8484
HEALTHCHECK --interval=15s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8484}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The `--` keeps Node from handling --env-file itself, as in bin/umpire.
ENTRYPOINT ["tini", "--", "node", "--max-semi-space-size=8", "--", "src/cli/cli.ts"]
CMD ["serve"]
