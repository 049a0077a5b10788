import express from 'express';
import { listen } from './listen.ts';
import { connectWorker } from './mail/redis.ts';
import { createSmtpTransport } from './mail/transport.ts';
import { startMailWorker } from './mail/worker.ts';
import { healthRoutes } from './ops/health-routes.ts';
import { runService } from './run-service.ts';

await runService('worker', async (config, logger) => {
  const transport = createSmtpTransport(config.mail.smtpUrl);
  const sender = { transport, from: config.mail.from, office: config.office, siteUrl: config.publicUrl };
  const worker = startMailWorker(connectWorker(config.redisUrl, logger), sender, logger);
  const health = express()
    .disable('x-powered-by')
    .use(healthRoutes({ redis: worker.isRunning }));
  const ops = await listen(health, config.ops);
  logger.info({ ops: ops.url }, 'Waiting for mails');

  return [
    { name: 'mail worker', close: worker.close },
    { name: 'health', close: ops.close },
  ];
});
