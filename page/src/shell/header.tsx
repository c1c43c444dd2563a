import { connected } from '../api/events.js'
import { node } from '../api/node.js'
import { access, askForAccess } from './access.js'
import { maskKey } from '../parts/format.js'
import { Icon } from '../parts/icon.js'
import { currentNetwork, link, navigate, route } from './router.js'
import { theme, toggleTheme } from './theme.js'
import './header.css'

const places = [
  ['requests', 'Requests'],
  ['chain', 'Chain'],
  ['files', 'Files'],
  ['controls', 'Controls'],
] as const

/** Header of every view: navigation, network and connection status. */
export function Header({ place }: { place: string }) {
  const description = node.value
  return (
    <header class="top">
      <a class="brand" href={link('requests')}>
        <Logo />
        <span>Standin</span>
      </a>
      <nav aria-label="Views">
        {places.map(([path, title]) => (
          <a key={path} href={link(path)} aria-current={place === path ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <div class="top-tools">
        {description !== undefined && (
          <label class="network">
            <span class="visually-hidden">Network</span>
            <select value={currentNetwork.value} onChange={(event) => choose(event.currentTarget.value)}>
              {description.networks.map(({ name, chainId, fork }) => (
                <option key={name} value={name}>
                  {`${name} · ${chainId}${fork === undefined ? '' : ` · fork at ${fork.number}`}`}
                </option>
              ))}
            </select>
          </label>
        )}
        {description !== undefined && description.mode !== 'open' && (
          <button
            type="button"
            class="button"
            onClick={askForAccess}
            title={`The node is in ${description.mode} mode`}
          >
            <Icon name="key" />
            {access.value === undefined ? 'Key' : maskKey(access.value.key)}
          </button>
        )}
        <span class={`live ${connected.value ? 'on' : ''}`} role="status">
          <span class="visually-hidden">
            {connected.value ? 'Connected to the node' : 'Disconnected from the node'}
          </span>
          <span aria-hidden="true">{connected.value ? 'Live' : 'Offline'}</span>
        </span>
        <button
          type="button"
          class="icon-button"
          aria-label={theme.value === 'dark' ? 'Switch to light colours' : 'Switch to dark colours'}
          onClick={toggleTheme}
        >
          <Icon name={theme.value === 'dark' ? 'sun' : 'moon'} />
        </button>
      </div>
    </header>
  )
}

/** Opens the same view for another network, without the opened item, which exists on one network only. */
function choose(network: string): void {
  const [place = 'requests'] = route.value.path
  navigate(place, { network: network === node.value?.networks[0]?.name ? '' : network })
}

function Logo() {
  return (
    <svg viewBox="0 0 32 32" class="logo" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M16 5 24 16 16 27 8 16Z" />
      <path d="M8 16h16" stroke-dasharray="2.4 2.4" />
    </svg>
  )
}
