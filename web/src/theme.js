const KEY = 'covary-theme';

// A page opened from a file may not be allowed to remember anything.
function remembered() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function remember(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Then the choice lasts as long as the page.
  }
}

export function makeThemeSwitch(changed) {
  const root = document.documentElement;
  const button = document.querySelector('.theme');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const show = () => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', isDark() ? 'Switch to light colours' : 'Switch to dark colours');
    changed();
  };
  const stored = remembered();
  if (stored === 'dark' || stored === 'light') root.dataset.theme = stored;
  button.hidden = false;
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    remember(root.dataset.theme);
    show();
  });
  system.addEventListener('change', show);
  show();
}
