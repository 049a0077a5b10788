/*
 * The largest part of the application, by itself: the browser evaluates it in a task of its own, so that a press gets in
 * between. Budget: TBT below 60 ms on the throttled phone.
 */
export { hydrateRoot } from 'react-dom/client';
