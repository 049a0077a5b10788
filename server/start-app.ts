import { isRegistrationOpen, registrationEnds } from '#shared/content/registration-window.ts';
import { createApp } from './create-app.ts';
import { closeListeners, listen } from './http/listen.ts';
import { laterServices } from './later-services.ts';
import { addListenerMetrics } from './ops/listener-metrics.ts';
import { createMetrics } from './ops/metrics.ts';
import { readAssets } from './page/assets.ts';
import { createMemoryLogger } from './service/logger.ts';
import { runService } from './service/run-service.ts';

await runService('app', async (config, logger) => {
  const assets = await readAssets(new URL('./', import.meta.url));
  const metrics = createMetrics('app');
  const later = laterServices();
  const watcher = addListenerMetrics(metrics, logger);
  const memoryLogger = createMemoryLogger(config.logLevel);
  const app = createApp({ config, logger, memoryLogger, assets, metrics, ...later });
  const site = await listen(app, config.listen, { watcher });

  // The page is served while these load.
  const { openServices } = await import('./open-services.ts');
  const { services, opsApp } = openServices(config, logger, metrics);
  later.arrive(services);
  const ops = await listen(opsApp, config.ops, { watcher });
  if (isRegistrationOpen(config.registration, new Date()) && new Date() >= registrationEnds) {
    logger.warn('Registration is open although the retreat has begun: REGISTRATION=auto closes it by date');
  }
  logger.info({ site: site.url, ops: ops.url, payments: config.payments }, 'Listening');

  return [
    { name: 'site and ops page', close: () => closeListeners(logger, site, ops) },
    { name: 'mail queue', close: services.mailQueue.close },
  ];
});
