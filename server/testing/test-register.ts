import type { Found } from '#server/payments/find-all-due.ts';
import type { Register } from '#server/register/walk.ts';

/** A Stripe of which only what is due matters: nothing that is done there changes anything. */
export const registerOf = (findAllDue: (since: Date) => AsyncGenerator<Found>): Register => ({
  findAllDue,
  closeUnpaid: async () => false,
  fitBalance: async () => false,
  chargeBalance: async () => ({ type: 'stopped', why: 'not-due' }),
  workOffRefunds: async () => ({ type: 'stopped', why: 'nothing-due' }),
  findRegistration: async () => undefined,
  markSent: async () => {},
  readAnnouncements: async () => ({}),
  waiting: {
    join: notAsked,
    find: async () => undefined,
    async *findAll() {},
    leave: notAsked,
    offer: notAsked,
    withdrawOffer: notAsked,
    register: notAsked,
    took: notAsked,
  },
});

const notAsked = async () => {
  throw new Error('A walk without a waiting list does not ask for this');
};

/** Nobody is told of charges. */
export const noCharges = { charged() {}, declined() {} };

/** Nor of refunds. */
export const noRefunds = { made() {}, refused() {} };
