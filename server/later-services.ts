import { AppError } from './http/app-error.ts';
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
      async *findAllDue(...of) {
        yield* (await arrival).payments.findAllDue(...of);
      },
      closeUnpaid: async (...of) => (await arrival).payments.closeUnpaid(...of),
      findDue: async (...of) => (await arrival).payments.findDue(...of),
      markSent: async (...of) => (await arrival).payments.markSent(...of),
      markDismissed: async (...of) => (await arrival).payments.markDismissed(...of),
      markLookedAt: async (...of) => (await arrival).payments.markLookedAt(...of),
      findMail: async (...of) => (await arrival).payments.findMail(...of),
      correctAddress: async (...of) => (await arrival).payments.correctAddress(...of),
      readEvent: async (...of) => (await arrival).payments.readEvent(...of),
      isReachable: () => there?.payments.isReachable(),
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
      countRequest: async (...of) => (await arrival).limits.countRequest(...of),
      admitNew: async (...of) => (await arrival).limits.admitNew(...of),
      admitEdit: async (...of) => (await arrival).limits.admitEdit(...of),
      giveBack: async (...of) => (await arrival).limits.giveBack(...of),
    },
  };
}
