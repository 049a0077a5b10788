import { AppError } from './errors.ts';
import type { Services } from './open-services.ts';

/** Services that are not there yet. What they are asked meanwhile waits for them. */
export interface LaterServices extends Services {
  /** They are there. */
  arrive(services: Services): void;
}

/** Stands for services until they arrive. */
export function laterServices(): LaterServices {
  let there: Services | undefined;
  let resolve: (services: Services) => void = () => {};
  const arrival = new Promise<Services>((settle) => {
    resolve = settle;
  });
  const now = (): Services => {
    if (there) return there;
    throw new AppError({ code: 'starting', status: 503, message: 'Please try again in a moment' });
  };
  return {
    arrive(services) {
      there = services;
      resolve(services);
    },
    payments: {
      createDeposit: async (...of) => (await arrival).payments.createDeposit(...of),
      updateDeposit: async (...of) => (await arrival).payments.updateDeposit(...of),
      limitAttempts: async (...of) => (await arrival).payments.limitAttempts(...of),
      async *owedMails(since) {
        yield* (await arrival).payments.owedMails(since);
      },
      markSent: async (...of) => (await arrival).payments.markSent(...of),
      findMail: async (...of) => (await arrival).payments.findMail(...of),
      correctAddress: async (...of) => (await arrival).payments.correctAddress(...of),
      isReachable: () => there?.payments.isReachable(),
      // Stripe sends its event again.
      readEvent: (...of) => now().payments.readEvent(...of),
    },
    mailQueue: {
      add: async (...jobs) => (await arrival).mailQueue.add(...jobs),
      isReady: () => there?.mailQueue.isReady() ?? false,
      oldestWaiting: async () => (await arrival).mailQueue.oldestWaiting(),
      close: async () => there?.mailQueue.close(),
      get bullQueue() {
        return now().mailQueue.bullQueue;
      },
    },
    limits: {
      admit: async (...of) => (await arrival).limits.admit(...of),
      giveBack: async (...of) => (await arrival).limits.giveBack(...of),
    },
  };
}
