ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev
COPY tsconfig.json tsconfig.base.json ./
COPY scripts scripts
COPY shared shared
COPY server server
COPY client client
# The same as `npm run build`, without its check that the packages are installed.
RUN node --import tsx scripts/build/main.ts

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional packages are type declarations, the TypeScript compiler, a native decoder that BullMQ can do without, SQLite for a
# Node that has none of its own, and what pg needs in another runtime.
RUN npm ci --omit=dev --omit=optional \
 && npm sbom --package-lock-only --omit=dev --omit=optional --sbom-format=cyclonedx > sbom.cdx.json

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title=online-retreat \
      org.opencontainers.image.version=2.0.0
ENV NODE_ENV=production \
    NODE_OPTIONS="--v8-pool-size=1 --max-semi-space-size=4 --max-old-space-size=256" \
    HOST=0.0.0.0
WORKDIR /app
COPY package.json ./
COPY --from=packages /app/node_modules node_modules
COPY --from=packages /app/sbom.cdx.json ./
COPY --from=build /app/dist dist
# A new volume takes these folders' owner: the register's file, and its copies.
RUN install --directory --owner=node --group=node /data /backup
USER node
EXPOSE 3000
# Both app and worker answer the health check on their ops listener.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 CMD ["node", "dist/check-health.js"]
# scripts/product/product.ts gives the reasons for NODE_OPTIONS. The worker is the same image with another command.
CMD ["node", "dist/start-app.js"]
