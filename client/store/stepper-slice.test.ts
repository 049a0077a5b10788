import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { back, next, reset, selectStepCompleted, skip } from './stepper-slice.ts';
import { createStore } from './store.ts';

function newStore() {
  const store = createStore({});
  return { store, stepper: () => store.getState().stepper };
}

describe('the stepper', () => {
  test('R2.1 NEXT advances and merges data', () => {
    const { store, stepper } = newStore();
    store.dispatch(next({ package: 'january_2026_retreat' }));
    store.dispatch(next({ firstName: 'Wilma' }));
    assert.equal(stepper().activeStep, 2);
    assert.deepEqual(stepper().data, { package: 'january_2026_retreat', firstName: 'Wilma' });
  });

  test('R2.1 SKIP advances and marks the step skipped; completing it later removes the mark', () => {
    const { store } = newStore();
    store.dispatch(skip());
    assert.equal(selectStepCompleted(store.getState(), 0), false);
    store.dispatch(back());
    store.dispatch(next({}));
    assert.equal(selectStepCompleted(store.getState(), 0), true);
  });

  test('R2.1 NEXT leads no further than the completion view, however often it is dispatched', () => {
    const { store, stepper } = newStore();
    for (let time = 1; time <= 5; time += 1) store.dispatch(next({}));
    assert.equal(stepper().activeStep, 3);
  });

  test('R2.1 BACK goes one back, never below 0, and keeps the data', () => {
    const { store, stepper } = newStore();
    store.dispatch(next({ package: 'january_2026_retreat' }));
    store.dispatch(back());
    store.dispatch(back());
    assert.equal(stepper().activeStep, 0);
    assert.deepEqual(stepper().data, { package: 'january_2026_retreat' });
  });

  test('R2.1 RESET returns to the first step and clears the data', () => {
    const { store, stepper } = newStore();
    store.dispatch(next({ firstName: 'Wilma' }));
    store.dispatch(skip());
    store.dispatch(reset());
    assert.deepEqual(stepper(), { activeStep: 0, skipped: {}, data: {}, drafts: {} });
  });

  test('R2.1 a step is completed when it lies before the active one and was not skipped', () => {
    const { store } = newStore();
    store.dispatch(next({}));
    store.dispatch(skip());
    const completed = [0, 1, 2].map((step) => selectStepCompleted(store.getState(), step));
    assert.deepEqual(completed, [true, false, false]);
  });
});
