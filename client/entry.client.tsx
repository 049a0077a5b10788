import { hydrateRoot } from 'react-dom/client';
import { ROOT_ELEMENT_ID, STATE_ELEMENT_ID } from '#shared/page.ts';
import { App } from './app.tsx';
import { createStore, type RootState } from './store/store.ts';
import { followStoredTheme } from './ui/theme.ts';

const root = document.getElementById(ROOT_ELEMENT_ID);
const stateElement = document.getElementById(STATE_ELEMENT_ID);
if (!root || !stateElement) throw new Error('This page was not rendered by the server');

const serverState: RootState = JSON.parse(stateElement.textContent);
hydrateRoot(root, <App store={createStore(serverState)} serverState={serverState} />);
followStoredTheme();
