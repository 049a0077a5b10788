import type { AppStore, RootState } from '#client/store/store.ts';

const STORAGE_KEY = 'registration';

/** What is never kept: card data, even masked, and an agreement that has not been given yet. */
const NOT_KEPT = new Set(['cardNumber', 'cardExpiry', 'cardCvc', 'termsAgreement', 'website']);

type Draft = Record<string, string>;

/**
 * Keeps the registration in the tab's session storage, so that it survives a reload, such as after a visit to the
 * bank's app, and takes up what was kept before. It ends with the tab, and when the registration is abandoned.
 */
export async function keepProgress(store: AppStore): Promise<void> {
  const kept = readItem();
  if (kept && store.getState().site.registrationOpen) {
    const { restoreProgress } = await import('./restore-progress.ts');
    restoreProgress(store, kept);
  }
  let saved: RootState | undefined;
  store.subscribe(() => {
    const state = store.getState();
    if (state.stepper === saved?.stepper && state.form === saved.form) return;
    saved = state;
    save(state);
  });
}

function save({ stepper, form }: RootState): void {
  inStorage((storage) => {
    if (stepper.activeStep === 0 && stepper.data.package === undefined) storage.removeItem(STORAGE_KEY);
    else storage.setItem(STORAGE_KEY, JSON.stringify({ ...stepper, drafts: draftsOf(stepper, form) }));
  });
}

/** What was typed and differs from what the forms were filled with. */
function draftsOf({ drafts }: RootState['stepper'], forms: RootState['form']): Record<string, Draft> {
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

function readItem(): string | null | undefined {
  return inStorage((storage) => storage.getItem(STORAGE_KEY));
}

/** A visitor may have forbidden the storage: then a reload begins anew. */
function inStorage<Value>(use: (storage: Storage) => Value): Value | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}
