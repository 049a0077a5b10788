/*
 * The largest part of the application, by itself: so the browser compiles and runs it in a task of its own, and has a
 * chance to answer a visitor before the rest follows.
 */
export { hydrateRoot } from 'react-dom/client';
