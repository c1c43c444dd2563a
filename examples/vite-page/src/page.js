import contract from 'virtual:picture'
import provider from 'virtual:provider'
import { createClient, deploy, uploadAndMint } from './mint.js'

const form = document.querySelector('form')
const output = document.querySelector('output')
const client = createClient(provider)
const deployment = deploy(client, contract)

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const fields = new FormData(form)
  try {
    const context = { provider, client, address: await deployment, abi: contract.abi }
    const minted = await uploadAndMint(context, {
      picture: fields.get('picture'),
      title: fields.get('title'),
    })
    output.textContent = `Picture ${minted.id} is yours: ${minted.uri}`
  } catch (error) {
    output.textContent = error.message
  }
})
