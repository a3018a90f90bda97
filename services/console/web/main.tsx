import 'virtual:tokens.css';
import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './app/api.ts';
import { loadLanguage } from './app/i18n.ts';
import { reloadAfterRelease } from './app/release.ts';
import { createConsoleRouter } from './app/router.tsx';
import { applyTheme } from './app/theme.ts';

reloadAfterRelease();
applyTheme();
await loadLanguage(navigator.languages);

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={createConsoleRouter()} />
    </QueryClientProvider>
  </StrictMode>,
);
