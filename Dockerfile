# One image for all processes of the gateway: the API by default, a worker pool by another command (see Procfile).

FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY config ./config
COPY shared ./shared
COPY api ./api
COPY workers ./workers
COPY scripts/gateway ./scripts/gateway
COPY scripts/provisioning ./scripts/provisioning
COPY scripts/bundle.mjs ./scripts/
RUN npm run build

FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
# As the Procfile starts the processes: garbage is collected before it piles up (docs/performance.md).
ENV NODE_OPTIONS="--max-old-space-size=512 --max-semi-space-size=16 --v8-pool-size=1"
WORKDIR /app
# The programs hold what they use of their packages; of this one files are served.
COPY --from=build /app/dist ./dist
COPY --from=build /app/node_modules/swagger-ui-dist ./node_modules/swagger-ui-dist
COPY config/threeds-providers.json ./config/
COPY api/pages/assets ./api/pages/assets
COPY package.json Procfile LICENSE gateway ./
COPY scripts/gateway.mjs scripts/where.mjs ./scripts/
COPY scripts/setup/node-version.mjs ./scripts/setup/
USER node
EXPOSE 8080
# Workers open no public port: their services in docker-compose.yml switch this check off.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm in between: SIGTERM reaches the process, which drains and ends within 15 s.
CMD ["node", "dist/api/main.js"]
