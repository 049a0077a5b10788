import { hydrateRoot } from 'react-dom/client';
import { ROOT_ELEMENT_ID, STATE_ELEMENT_ID } from '#shared/page.ts';
import { App } from './app.tsx';
import { keepProgress } from './registration/progress.ts';
import { createStore, type RootState } from './store/store.ts';
import { followStoredTheme } from './ui/theme.ts';

const root = document.getElementById(ROOT_ELEMENT_ID);
const stateElement = document.getElementById(STATE_ELEMENT_ID);
if (!root || !stateElement) throw new Error('This page was not rendered by the server');

const serverState: RootState = JSON.parse(stateElement.textContent);
const store = createStore(serverState);
hydrateRoot(root, <App store={store} serverState={serverState} />);
followStoredTheme();
await keepProgress(store);
