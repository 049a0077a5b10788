import { loadChunk } from '#client/loading/load-chunk.ts';
import {
  dropQuery,
  inStorage,
  paymentInLink,
  readStored,
  writeStored,
} from '#client/store/browser-storage.ts';
import { paymentIdOf, type RegistrationData, type StepperState } from '#client/store/stepper-slice.ts';
import type { AppStore, RootState } from '#client/store/store.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { registrationSteps } from '#shared/content/registration-steps.ts';
import { REGISTERED_STORAGE_KEY, UNFINISHED_KEPT_DAYS } from '#shared/page.ts';

const STORAGE_KEY = 'registration';

/** Form fields that are never kept: card data (even masked), the honeypot, and an unsubmitted agreement. */
const NOT_KEPT = new Set(['cardNumber', 'cardExpiry', 'cardCvc', 'termsAgreement', 'publication', 'website']);

const restoring = { id: 'restore-progress', load: () => import('./restore-progress.ts') };

type Draft = Record<string, string>;

/** A registration in the form in which it is stored. */
interface Progress {
  text: string;
  /** The payment that is still to be made. */
  payment: string | undefined;
}

/**
 * Restores the registration from storage, and from then on stores each change in the tab's session storage,
 * so that it survives a reload, such as after a visit to the bank's app. It is removed with the tab, and when
 * the registration is abandoned; once paid, only what the completion view needs is kept. While its payment is
 * open it is also kept in local storage, and a tab that has no registration of its own restores it from there
 * if the reminder's link opened the tab.
 */
export async function keepProgress(store: AppStore): Promise<void> {
  await restoreKept(store);
  markRegistered(isOver(store.getState().stepper));
  let kept = progressOf(store.getState());
  store.subscribe(() => {
    const progress = progressOf(store.getState());
    if (progress?.text !== kept?.text) {
      writeStored('session', STORAGE_KEY, progress?.text);
      keepInBrowser(progress, kept?.payment);
      markRegistered(isOver(store.getState().stepper));
    }
    kept = progress;
  });
}

async function restoreKept(store: AppStore): Promise<void> {
  const payment = paymentInLink();
  const fromTab = readStored('session', STORAGE_KEY);
  const kept = fromTab ?? (payment && readUnfinished(payment));
  if (kept && store.getState().site.registrationOpen) {
    try {
      const { restoreProgress } = await loadChunk(restoring);
      if (!hasBegun(store.getState().stepper)) restoreProgress(store, kept);
      if (kept !== fromTab) writeStored('session', STORAGE_KEY, progressOf(store.getState())?.text);
    } catch {
      // Without its chunk the stepper starts empty; the stored registration and the link's query stay for the
      // next load.
      return;
    }
  }
  if (payment) dropQuery();
}

function hasBegun({ activeStep, data }: StepperState): boolean {
  return activeStep > 0 || data.package !== undefined;
}

/** Undefined before a registration has begun. */
function progressOf({ stepper, form }: RootState): Progress | undefined {
  if (!hasBegun(stepper)) return undefined;
  const payment = isOver(stepper) ? undefined : paymentIdOf(stepper.data);
  return { text: JSON.stringify(keptOf(stepper, form)), payment };
}

/** A registration that another tab has paid or abandoned meanwhile is not stored again. */
function keepInBrowser(progress: Progress | undefined, paymentBefore: string | undefined): void {
  const payment = progress?.payment;
  if (paymentBefore && paymentBefore !== payment) writeStored('local', PREFIX + paymentBefore, undefined);
  if (progress && payment && (payment !== paymentBefore || readUnfinished(payment) !== undefined)) {
    keepUnfinished(payment, progress.text);
  }
}

function isOver({ activeStep }: StepperState): boolean {
  return activeStep >= registrationSteps.length;
}

function keptOf(stepper: StepperState, forms: RootState['form']): StepperState {
  if (!isOver(stepper)) return { ...stepper, drafts: draftsOf(stepper, forms) };
  const {
    package: packageId,
    idempotencyKey,
    paymentIntentClientSecret,
    cardPaymentIntent,
    confirmationMail,
    firstName = '',
    email = '',
  } = stepper.data;
  const shown = { package: packageId, idempotencyKey, cardPaymentIntent, confirmationMail, firstName, email };
  return { ...stepper, data: { ...shown, paymentIntentClientSecret }, drafts: {} };
}

/** Values typed into the forms that differ from their initial values. */
function draftsOf({ drafts }: StepperState, forms: RootState['form']): Record<string, Draft> {
  const typed = Object.entries(forms ?? {}).map(([name, { values, initial }]) => [
    name,
    { ...drafts[name], ...changesOf(values ?? {}, initial ?? {}) },
  ]);
  return { ...drafts, ...Object.fromEntries(typed) };
}

function changesOf(values: Record<string, unknown>, initial: Record<string, unknown>): Draft {
  const names = Object.keys({ ...initial, ...values }).filter((name) => !NOT_KEPT.has(name));
  const changed = names.filter((name) => (values[name] ?? '') !== (initial[name] ?? ''));
  return Object.fromEntries(changed.map((name) => [name, String(values[name] ?? '')]));
}

/** Marks the page for a visitor who has paid, and the tab for the next load, see shared/head/head-script.ts. */
function markRegistered(registered: boolean): void {
  document.documentElement.toggleAttribute('data-registered', registered);
  writeStored('session', REGISTERED_STORAGE_KEY, registered ? 'yes' : undefined);
}

const PREFIX = 'unfinished-';
const KEPT_MS = UNFINISHED_KEPT_DAYS * 24 * 60 * 60 * 1000;

/** Separates the stored registration from its expiry time before it. */
const SEPARATOR = ' ';

/** Stores a registration that has its payment, as text, so that the reminder's link can restore it. */
function keepUnfinished(paymentId: string, registration: string): void {
  writeStored('local', PREFIX + paymentId, `${Date.now() + KEPT_MS}${SEPARATOR}${registration}`);
}

/** The registration of a payment, if this browser has it. */
function readUnfinished(paymentId: string): string | undefined {
  const kept = readStored('local', PREFIX + paymentId);
  return kept?.slice(kept.indexOf(SEPARATOR) + 1);
}

/** Deletes registrations that have expired. */
export function forgetOldUnfinished(): void {
  inStorage('local', (storage) => {
    for (const key of Object.keys(storage)) {
      const current = Number.parseInt(storage.getItem(key) ?? '', 10) > Date.now();
      if (key.startsWith(PREFIX) && !current) storage.removeItem(key);
    }
  });
}

/** Per edition: a key left over from another edition names a registration for that one. */
const KEY_STORED_AS = `registration-key-${facts.id}`;
const KEY_BYTES = 16;

/**
 * The key of this browser's current registration, shared by all its tabs: 32 random hexadecimal digits. So
 * two tabs that send the same details make one registration (R4.5).
 */
export function registrationKey(): string {
  const kept = readStored('local', KEY_STORED_AS);
  if (kept) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  writeStored('local', KEY_STORED_AS, key);
  return key;
}

/** Deletes the key of a registration that is over; a newer key made by another tab stays. */
export function forgetRegistrationKey(used: string | undefined): void {
  if (readStored('local', KEY_STORED_AS) === used) writeStored('local', KEY_STORED_AS, undefined);
}

/**
 * The changes that give a registration a new key and no payment, when its payment is closed or belongs to
 * somebody else. The details stay.
 */
export function replacePayment({ idempotencyKey }: RegistrationData): RegistrationData {
  forgetRegistrationKey(idempotencyKey);
  return {
    idempotencyKey: registrationKey(),
    paymentIntentClientSecret: undefined,
    amountCents: undefined,
    unanswered: undefined,
    confirmationUnheard: undefined,
  };
}
