var $s={name:"ECDSA",namedCurve:"P-256"},zs={name:"ECDSA",hash:"SHA-256"},tn=()=>crypto.subtle.generateKey($s,!1,["sign"]);async function ft(n){let{kty:e,crv:t,x:s,y:o}=await crypto.subtle.exportKey("jwk",n);return{kty:e,crv:t,x:s,y:o}}async function Te(n,e,t={typ:"JWT"}){let s=r=>$(pt(JSON.stringify(r))),o=`${s({alg:"ES256",...t})}.${s(e)}`;return`${o}.${$(await crypto.subtle.sign(zs,n.privateKey,pt(o)))}`}var nn=n=>Te(n,{}).then(()=>!0,()=>!1),pt=n=>new TextEncoder().encode(n);function $(n){let e="";for(let t of new Uint8Array(n))e+=String.fromCharCode(t);return btoa(e).replaceAll("+","-").replaceAll("/","_").replaceAll("=","")}function F(n){let e=atob(n.replaceAll("-","+").replaceAll("_","/"));return Uint8Array.from(e,t=>t.charCodeAt(0))}var me=async n=>new Uint8Array(await crypto.subtle.digest("SHA-256",pt(n)));var O=class extends Error{constructor(e,t){super(e),this.code=e,this.status=t}},R=class extends Error{},js="document"in globalThis?2e4:5e3,Ds=["signed-digest","number-matching","number-typing",..."PublicKeyCredential"in globalThis?["passkeys"]:[]],mt=({generator:n})=>[...Ds,...n?["one-time-code"]:[]],Le=n=>mt(n).join(" "),ne=0,D=()=>Date.now()+ne,Ge=()=>Math.floor(D()/1e3);function qs(n){let e=Date.parse(n.headers.get("Date")??"");if(!Number.isNaN(e)&&!n.headers.has("Age")){let t=e+500-Date.now();Math.abs(t-ne)>1500&&(ne=t)}}async function te(n,e={}){let t;try{t=await fetch(n,{cache:"no-store",credentials:"omit",redirect:"error",signal:AbortSignal.timeout(js),...e})}catch(o){throw new R(String(o))}if(qs(t),t.ok)return t;let s=await t.json().catch(()=>({}));throw t.status>=500&&!s.errorCode?new R(`status ${t.status}`):new O(s.errorCode??s.error,t.status)}var Bs=["invalid_challenge","invalid_proof"];async function Je(n,e){let t=ne;try{return await e()}catch(s){if(!(s instanceof O)||s.status!==401&&(ne===t||!Bs.includes(s.code)))throw s;return n.tokens.clear(),e()}}var ge=(n,e,t={})=>({method:n,body:JSON.stringify(e),headers:{"Content-Type":"application/json",...t}}),we=class{constructor(e,t){this.base=e,this.account=t,this.tokens=new Map}async token(e){let t=this.tokens.get(e);if(t?.ahead===ne&&t.until>Ge())return t.text;let s=Ge(),{id:o,userId:r,key:c}=this.account,l=await Te(c,{iss:o,sub:r,aud:e,iat:s,exp:s+300});return this.tokens.set(e,{text:l,ahead:ne,until:s+240}),l}own(e,t={}){let s=`${this.base}/api/device-accounts`;return Je(this,async()=>{let o={...t.headers,Authorization:`Bearer ${await this.token(s)}`};return te(`${s}/${this.account.id}${e}`,{...t,headers:o})})}events(e,t){let s=`${this.base}/api/notifications`;return Je(this,async()=>{let o={Authorization:`Bearer ${await this.token(s)}`,Accept:"text/event-stream"};return e&&(o["Last-Event-ID"]=e),te(`${s}?records=true`,{headers:o,signal:t})})}async record({txlnkid:e,txtkn:t}){let s=new URL(`/rich-consents/${encodeURIComponent(e)}`,this.base).href,o={typ:"dpop+jwt",jwk:await ft(this.account.key.publicKey)},r=$(await me(t)),c=await Je(this,async()=>{let p={htu:s,htm:"GET",ath:r,jti:crypto.randomUUID(),iat:Ge()},h=await Te(this.account.key,p,o);return te(s,{headers:{Authorization:`MFA-DPoP ${t}`,"MFA-DPoP":h}})}),{id:l,record:d}=await c.json();if(l!==e||typeof d!="string")throw new O("no_record");return d}resolve({txtkn:e,c:t},s,o){let r=`${this.base}/api/resolve-transaction`;return Je(this,async()=>{let c=Ge(),l={iss:this.account.identifier,sub:t,aud:r,iat:c,exp:c+30,auth0_guardian_method:"push",auth0_guardian_accepted:s.accepted,auth0_guardian_reason:s.reason,request_digest:$(s.digest),matching_pick:s.pick,reported:s.reported},d={challenge_response:await Te(this.account.key,l),passkey:o};return te(r,ge("POST",d,{Authorization:`Bearer ${e}`}))})}read=async e=>(await this.own(e)).json();pending=async()=>(await this.read("/pending?records=true")).requests;phones=()=>this.read("/devices");preferences=()=>this.read("/preferences");keepPreferences=e=>this.own("/preferences",ge("PUT",e));passkey=()=>this.read("/passkey");keepPasskey=e=>this.own("/passkey",ge("PUT",e));newPhone=async e=>(await this.own("/tickets",ge("POST",{passkey:e}))).json();update=e=>this.own("",ge("PATCH",e));remove=()=>this.own("",{method:"DELETE"});receipt=async e=>(await this.own(`/receipts/${encodeURIComponent(e)}`)).text();history(e){let t=new URLSearchParams({limit:"20",unanswered:"true",...e&&{before:e}});return this.read(`/requests?${t}`)}describe(e){let t=e&&JSON.stringify(e),s="document"in globalThis?void 0:this.account.capabilities?.split(" ");return this.update({capabilities:s??mt(this.account),...t&&{push_credentials:{service:"WEBPUSH",token:t}}})}},sn=(n,e,t)=>te(`${n}/api/device-accounts/${e}/farewell`,{method:"POST",headers:{Authorization:`Farewell id="${t}"`}}),on=async(n,e)=>(await te(`${n}/api/enroll/code`,{method:"POST",headers:{Authorization:`Ticket id="${e}"`}})).json();async function rn(n,{ticket:e,code:t},{identifier:s,name:o,key:r}){let c={identifier:s,name:o,public_key:await ft(r.publicKey),capabilities:mt({generator:{}})};return(await te(`${n}/api/enroll`,ge("POST",c,{Authorization:t?`Code id="${t}"`:`Ticket id="${e}"`}))).json()}var wt="http://www.w3.org/2000/svg";function i(n,...e){let[t,...s]=n.split("."),o=document.createElement(t);return s.length&&(o.className=s.join(" ")),e[0]?.constructor===Object&&gt(o,e.shift()),o.append(...e.flat(1/0).filter(Boolean)),o}function gt(n,e){for(let[t,s]of Object.entries(e))(s??!1)!==!1&&(t.startsWith("on")?n.addEventListener(t.slice(2),s):n.setAttribute(t,s===!0?"":s))}function ye(n,e){for(let[t,s]of Object.entries(e))n.addEventListener(t,s)}var T=(...n)=>i("h1",{tabindex:-1},n);function se(n){let[e,t]=["svg","path"].map(s=>document.createElementNS(wt,s));return gt(e,{viewBox:"0 0 24 24","aria-hidden":"true",class:"icon"}),gt(t,{d:n}),e.append(t),e}var z=(n,e="seal")=>i(`span.${e}`,{"aria-hidden":"true"},se(n)),_={requests:"M12 3l7 3v5c0 4.6-2.9 8.4-7 10-4.1-1.6-7-5.4-7-10V6zM9 12l2.2 2.2L15.5 10",history:"M12 7v5l3.2 2M4 12a8 8 0 1 0 2.5-5.8L4 8.6M4 4v4.6h4.6",settings:"M4 7h9m4 0h3M4 12h3m4 0h9M4 17h9m4 0h3M15 5v4M9 10v4M15 15v4",away:"M4 4l16 16M8.5 16.5a5 5 0 0 1 7 0M5 13a10 10 0 0 1 4.6-2.6M19 13a10 10 0 0 0-3.2-2.2M12 20h.01",phone:"M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2",share:"M12 15V3m0 0L8.5 6.5M12 3l3.5 3.5M8 10H6v11h12V10h-2",add:"M5 4h14a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM12 8v8M8 12h8",done:"M5 12.5l4.5 4.5L19 7.5",no:"M6 6l12 12M18 6L6 18"},oe=(n,...e)=>i("form",{novalidate:!0,onsubmit:t=>{t.preventDefault(),n(t)}},e),m=(n,e,t,s={})=>i(`button.${n}`,{type:"button",onclick:t,...s},e);function Is({top:n,bottom:e},t){return Math.max((n+e)/2,e-(t.bottom-t.top))>=t.top-1&&e<=t.bottom+1}var be=class{unread;since=new Map;constructor(e){this.unread=new Set(Array.from({length:e},(t,s)=>s))}note(e,t){let s=this.unread.size,o=new Map;for(let r of e){if(!this.unread.has(r))continue;let c=this.since.get(r)??t;t-c>=300?this.unread.delete(r):o.set(r,c)}return this.since=o,this.unread.size<s}},ve=class{parts=[];timer;constructor(e,t){this.view=e,this.changed=t}follow(e){this.stop(),this.parts=e,this.unread.length&&(addEventListener("scroll",this.observe,{capture:!0,passive:!0}),this.timer=setInterval(this.observe,100),this.observe())}stop(){removeEventListener("scroll",this.observe,{capture:!0}),clearInterval(this.timer),this.timer=void 0}get unread(){return this.parts.filter(({reading:e,index:t})=>e.unread.has(t))}observe=()=>{let e=document.hidden?void 0:this.view(),t=new Map(this.parts.map(({reading:r})=>[r,[]]));for(let{element:r,reading:c,index:l}of e?this.unread:[])Is(r.getBoundingClientRect(),e)&&t.get(c)?.push(l);let s=performance.now(),o=[...t].map(([r,c])=>r.note(c,s)).includes(!0);this.unread.length||this.stop(),o&&this.changed()}};function an(n){n.tabIndex=-1,n.focus({preventScroll:!0}),n.scrollIntoView({block:"start"})}var Ws=[new Map([["members",new Map([["at",new Map([["format","date-time"]])]])]])];function cn(n,e,t,s){let o=n.get("login");if(!(o instanceof Map))return;let r=P=>typeof P=="string"&&P?P:void 0,[c,l,d,p]=["application","browser","system","address"].map(P=>r(o.get(P))),h=o.get("place"),y=h instanceof Map?r(h.get(e))??r(h.get("en")):void 0,x=l??t("loginUnknownBrowser"),L=d?t("loginSoftware",{browser:x,system:d}):x,[{parts:[B]=[]}]=s([new Map([["at",o.get("at")??null]])],Ws),Y=[["loginBrowser",L],["loginPlace",y],["loginAddress",p],["loginTime",B?.text]];return{headline:t("loginHeadline",{application:c??""}),screen:L,rows:Y.flatMap(([P,U])=>U?[{label:t(P),value:U}]:[])}}var ke=class{constructor(e){this.text=e}},yt=/[\t\n\r ]*(?:([{}[\]:,])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(true|false|null))/sy;function ie(n){let e=0,t=(l=`at ${e}`)=>{throw new SyntaxError(l)};function s(){yt.lastIndex=e;let l=yt.exec(n)??t();return e=yt.lastIndex,l}function o(l,d){let p=e;if(s()[1]!==l)for(e=p;;){d();let[,h]=s();if(h===l)return;h!==","&&t()}}function r(){let[,l,d,p,h]=s();if(p)return new ke(p);if(d??h)return JSON.parse(d??h);if(l==="["){let x=[];return o("]",()=>x.push(r())),x}l!=="{"&&t();let y=new Map;return o("}",()=>{let[,,x]=s();(!x||s()[1]!==":")&&t();let L=JSON.parse(x);y.has(L)&&t(`twice: ${L}`),y.set(L,r())}),y}let c=r();return n.slice(e).trim()&&t(),c}var vt=String.raw`\0-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u2d7f\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\u{1107f}\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{16fe4}\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}`,ln=String.raw`[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}][\ufe0e\ufe0f]?`,Us=String.raw`[\u0600-\u109f\u1780-\u18af\u1a00-\u1cff\ua800-\uabff\u{10a00}-\u{11fff}\u{1e900}-\u{1e95f}]`,Vs=n=>[...n].map(e=>String.fromCodePoint(917504+e.charCodeAt(0))).join(""),un=`🏴(?:${["gbeng","gbsct","gbwls"].map(Vs).join("|")})󠁿`,Fs=new RegExp(String.raw`(${un}|${ln}(?:\u200d(?!${un})${ln})*|[\d#*]\ufe0f\u20e3|(?![${vt}])${Us}[\u200c\u200d])|([${vt}])|[^]`,"gu"),Hs=new RegExp(String.raw`[${vt}\p{M}]`,"u"),bt=4,dn=n=>/^[\p{Mn}\p{Me}]/u.test(n),hn=n=>`‹U+${Number(n.codePointAt(0)).toString(16).toUpperCase().padStart(4,"0")}›`;function Oe(n){let e=String(n);if(!Hs.test(e))return e;let t=bt;return e.replace(Fs,(s,o,r,c)=>{if(s===`
`&&e[c-1]!==`
`)return t=bt,s;if(r)return hn(s);let[l,...d]=s;return dn(l)?(t+=1,t>bt?hn(l)+d.join(""):s):(/^\p{Mc}/u.test(l)||(t=d.filter(dn).length),s)})}var H=n=>n instanceof Map?n:new Map,Ze=n=>Array.isArray(n)?n:[],Qe=n=>n.toLowerCase().replace(/[\p{White_Space}_-]/gu,""),pn=n=>/^$|^["\p{White_Space}]|\p{White_Space}$/u.test(n),Ks=n=>/: | \/ /.test(n),Gs=new Set(["payee","payeename","payto","creditor","creditorname","recipient","recipientname","beneficiary","beneficiaryname","merchant","merchantname","to"]),Js=new Map([["EUR","€"],["GBP","£"],["USD","US$"]]),Zs=24,Ye=n=>typeof n=="string"&&/^[A-Z]{3}$/.test(n)?n:void 0;function Se(n){let e=n instanceof ke?n.text:n;return typeof e=="string"&&/^-?\d+(\.\d+)?$/.test(e)?e:void 0}function fn(n,e,t){let s=n.toLowerCase(),[o]=s.split("-"),[r,c]=o==="fr"?[" ",","]:o==="de"?[".",","]:[",","."],l={hour:"2-digit",minute:"2-digit",second:"2-digit",fractionalSecondDigits:3,hourCycle:"h23",timeZoneName:"short"},d=u=>new Intl.DateTimeFormat(o==="en"?"en-GB":o,u),p=(u,f)=>d({dateStyle:"long",timeZone:f}).format(u).replace(o==="fr"?/^1 /:/^$/,"1er ");function h(u,f,w){let g=[...H(u.get(w))];for(let C of[s,o]){let A=g.find(([M])=>M.toLowerCase()===C)?.[1];if(typeof A=="string"&&A)return A}let k=u.get(f);return typeof k=="string"&&k?k:void 0}let y=u=>h(u,"label","labels"),x=u=>h(u,"description","descriptions"),L=(u,f)=>pn(u)||Ks(u)||f.some(w=>w!==void 0&&Qe(w)===Qe(u))?JSON.stringify(u):u;function B(u,f){let[w,g]=u.replace("-","").split("."),k=u.startsWith("-")?"-":"",C=w.replace(/\B(?=(\d{3})+$)/g,r)+(g?c+g:""),A=Js.get(f);return A?o==="en"?`${k}${A}${C}`:`${k}${C} ${A}`:`${k}${C} ${f}`}function Y(u){if(!(u instanceof Map)||u.size!==2)return;let[f,w]=[Se(u.get("amount")??u.get("value")),Ye(u.get("currency"))];return f&&w?{amount:f,currency:w,spell:B}:void 0}function P(u,f){let w=u.money??Y(u.value);if(w||u.name!=="amount"&&u.name!=="value")return w;let[g,k]=[Se(u.value),Ye(f)];return g&&k?{amount:g,currency:k,spell:B}:void 0}function U(u,f=u.money??Y(u.value)){return f?{text:B(f.amount,f.currency),money:f}:(typeof u.value=="string"?!/\P{White_Space}/u.test(u.value):u.value===null||u.value instanceof Map||Array.isArray(u.value))||u.text===void 0?void 0:{text:u.text}}let Ht=u=>Gs.has(Qe(u.name??""))&&U(u)!==void 0;function Kt(u,f){if(!u.length)return;let w=f?e.payment.split(/\{(\w+)\}/).filter(Boolean).map(g=>g==="amount"?{text:u[0].text}:g==="payee"?{text:u[1].text}:{text:g,isOwn:!0}):u.flatMap(({text:g},k)=>[...k?[{text:" · ",isOwn:!0}]:[],{text:g}]);return{text:w.map(({text:g})=>g).join(""),parts:w,first:u[0].text,money:u.find(g=>g.money)?.money}}function _s(u,f){let w=Ze(u).flatMap(k=>f.filter(C=>C.name===k).slice(0,1)).filter(k=>U(k)),g=w.flatMap(k=>U(k)??[]);return Kt(g,g.length===2&&Boolean(g[0].money)&&Ht(w[1]))}function Ms(u,f){let w,g=0,k=!1,C=()=>{g+=1,k=!0};function A(V,S,K,X){let N=V.get("currency"),ee=!1;for(let E of S){let Ke=P(E,N);if(!Ke){E.isUnreadableMoney&&C(),E.parts&&A(H(E.value),E.parts,K||Boolean(E.isList),E.isList?[]:[S,...X]);continue}if(ee=!0,g+=1,K)continue;let Yt=[S,...X].flat().filter(Ht),Xt=Yt.length===1?Yt[0]:void 0,en=[U(E,Ke),Xt&&U(Xt)].flatMap(Ps=>Ps??[]);w=Kt(en,en.length===2)}!ee&&[...V.keys()].some(E=>Qe(E).endsWith("currency"))&&C()}A(u,f,!1,[]);let M=g===1&&!k;return{found:M?w:void 0,isMoney:g>0,isReadable:M}}function Gt(u){let f=new Date(`${u}T00:00:00Z`);return/^\d{4}-\d\d-\d\d$/.test(u)&&!Number.isNaN(f.getTime())&&f.toISOString().startsWith(u)?p(f,"UTC"):void 0}function Ns(u){let f=/^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/.exec(u);if(!f||!Gt(f[1]))return;let[,w,g,k,C,A,M,V,S]=f,K=M?(Number(V)*60+Number(S))*(M==="-"?-6e4:6e4):0,X=Date.parse(`${w}T${g}:${k}:00Z`)+Number(C)*1e3+Number((A??"").slice(0,3).padEnd(3,"0"))-K,N=Object.fromEntries(d({...l,timeZone:t}).formatToParts(X).map(({type:E,value:Ke})=>[E,Ke])),ee=N.fractionalSecond==="000"?N.second==="00"?"":`:${N.second}`:`:${N.second}.${N.fractionalSecond}`;return`${p(X,t)}, ${N.hour}:${N.minute}${ee} ${N.timeZoneName}`}function Es(u,f,w){if(f==="money"&&u instanceof Map){let[C,A]=[Se(u.get("amount")??u.get("value")),Ye(u.get("currency"))];return u.size===2&&C&&A?B(C,A):void 0}let g=Se(u);return f==="money"?w&&g?B(g,w):void 0:typeof u!="string"?void 0:f==="date"?Gt(u):f==="date-time"?Ns(u):f!=="account"?void 0:/^[A-Z]{2}\d\d[A-Z0-9]{11,30}$/.test(u)?u.replace(/.{4}(?=.)/g,"$& "):u}function Rs(u){if(typeof u=="string"){let f=[e.none,e.yes,e.no,"{}","[]"].includes(u),w=/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(u);return f||w||pn(u)?JSON.stringify(u):u}return u instanceof ke?u.text:u===null?e.none:typeof u=="boolean"?u?e.yes:e.no:Array.isArray(u)?"[]":"{}"}let Jt=(u,f)=>f.get("format")==="money"&&!(u instanceof Map)&&u!==null&&{isUnreadableMoney:!0};function Zt(u,f,w){let g=Es(u,f.get("format"),w);if(g!==void 0){let A=Se(u),M=f.get("format")==="money";return{text:g,isFormatted:!0,value:u,...M&&{money:Y(u)??(A&&w?{amount:A,currency:w,spell:B}:void 0)}}}if(u instanceof Map&&u.size)return{parts:Qt(u,f),value:u};if(!Array.isArray(u)||!u.length)return{text:Rs(u),value:u,...Jt(u,f)};let k=H(f.get("items")),C={title:y(k),description:x(k)};return{isList:!0,value:u,...Jt(u,f),parts:u.map(A=>({...C,...Zt(A,k,w)}))}}function Qt(u,f,w=!1){let g=new Map([...u.keys()].map(S=>[S,H(H(f.get("members")).get(S))])),k=[...g.values()].map(y),C=Ye(u.get("currency")),M=[...u].some(([S,K])=>S!=="currency"&&g.get(S)?.get("format")==="money"&&Se(K))?C:void 0,V=Ze(f.get("order")).filter(S=>u.has(S));return[...new Set([...V,...u.keys()])].filter(S=>!(M&&S==="currency")&&!(w&&S==="type"&&typeof u.get(S)=="string")).map(S=>({name:S,title:y(H(g.get(S)))??L(S,k),description:x(H(g.get(S))),...Zt(u.get(S),H(g.get(S)),M)}))}return(u,f)=>{let w=Ze(f).map(H),g=w.map(y);return Ze(u).map(H).map((k,C)=>{let[A,M]=[k.get("type"),w[C]??new Map],V=Qt(k,M,!0),{found:S,isMoney:K,isReadable:X}=Ms(k,V),N=_s(M.get("headline"),V)??S,ee=!K||X&&N?.money!==void 0,E=N?.money?.amount.startsWith("-")===!0;return{isMoney:K,isWhole:ee,isGroupable:M.get("groupable")===!0&&ee&&!E,headline:N,title:y(M)??(typeof A=="string"?L(A,g):void 0),description:x(M),parts:V}})}}function Qs(n){if(n.length===1)return n[0];let e=Math.max(...n.map(r=>(r.split(".")[1]??"").length)),t=n.map(r=>{let[c,l=""]=r.split(".");return BigInt(c+l.padEnd(e,"0"))}).reduce((r,c)=>r+c,0n),s=String(t).replace("-","").padStart(e+1,"0"),o=e?`.${s.slice(-e)}`:"";return`${t<0n?"-":""}${s.slice(0,s.length-e)}${o}`}function mn(n){let e=n.flatMap(({headline:l})=>l??[]),t=n.some(l=>l.isMoney),o=n.every(l=>l.isWhole)?e.flatMap(({money:l})=>l??[]):[],r=[...new Set(o.map(({currency:l})=>l))].map(l=>{let d=o.filter(p=>p.currency===l);return d[0].spell(Qs(d.map(({amount:p})=>p)),l)}),c=n.length===1&&!t&&e[0]&&[...e[0].first].length<=Zs?e[0].first:void 0;return{lines:e,sums:r,action:r.length?r.join(" + "):c,isMoney:t,isGroupable:n.every(l=>!l.isMoney||l.isGroupable)}}var gn=`
account
  Account:
  Compte :
  Konto:
addPhone
  Add this phone
  Ajouter ce téléphone
  Dieses Telefon hinzufügen
allAnswered
  All answered
  Toutes les demandes sont traitées
  Alle beantwortet
allow
  Allow
  Autoriser
  Erlauben
allowAll
  Allow all {count}
  Autoriser les {count}
  Alle {count} erlauben
allowAllTitle
  Allow {count} requests?
  Autoriser {count} demandes ?
  {count} Anfragen erlauben?
accessTo
  Access to {audience}
  Accès à {audience}
  Zugriff auf {audience}
allSigned
  Each answer is signed separately.
  Chaque réponse est signée à part.
  Jede Antwort wird einzeln unterschrieben.
allowAllWhat
  Allow all {count}: {action}
  Autoriser les {count} : {action}
  Alle {count} erlauben: {action}
allowWhat
  Allow {action}
  Autoriser {action}
  {action} erlauben
answeredOnPage
  Answered in a browser
  Réponse donnée dans un navigateur
  In einem Browser beantwortet
answeredWith
  Answered with {phone}
  Réponse donnée avec {phone}
  Mit {phone} beantwortet
browser
  a browser
  un navigateur
  ein Browser
clientSays
  {client} says:
  {client} écrit :
  {client} schreibt:
nextPart
  Next part
  Partie suivante
  Nächster Teil
notTogether
  Requests about money are answered one by one.
  Les demandes d’argent se traitent une par une.
  Anfragen über Geld werden einzeln beantwortet.
noticeAsks
  {client}: {what}
  {client} : {what}
  {client}: {what}
outlier
  Far more than the others
  Bien plus que les autres
  Weit mehr als die anderen
outcomeReason
  Rejected with a reason
  Refusée avec un motif
  Mit Grund abgelehnt
outcomeReported
  Rejected and reported
  Refusée et signalée
  Abgelehnt und gemeldet
outcomeWhat
  {outcome}: {what}
  {outcome} : {what}
  {outcome}: {what}
outcomeWithdrawn
  Withdrawn
  Retirée
  Zurückgezogen
partsLeft_one
  {count} part left to read
  Encore {count} partie à lire
  Noch {count} Teil zu lesen
partsLeft_other
  {count} parts left to read
  Encore {count} parties à lire
  Noch {count} Teile zu lesen
pickThisWhat
  Allow {action} with the number {number}
  Autoriser {action} avec le nombre {number}
  {action} mit der Zahl {number} erlauben
preview
  Show what is asked
  Montrer ce qui est demandé
  Zeigen, worum es geht
previewHint
  Amounts and names are then on the locked screen, for anybody to read.
  Montants et noms s’affichent alors sur l’écran verrouillé, à la vue de tous.
  Beträge und Namen stehen dann auf dem gesperrten Bildschirm, für alle lesbar.
receiptAsked
  Asked by
  Demandé par
  Gefragt von
receiptBy
  Answered with
  Réponse donnée avec
  Beantwortet mit
receiptChallenge
  Genuine. {tenant} signed this receipt, and {phone} signed the answer.
  Authentique. {tenant} a signé ce reçu, et {phone} a signé la réponse.
  Echt. {tenant} hat diesen Beleg unterschrieben, und {phone} die Antwort.
receiptCopy
  Copy
  Copier
  Kopieren
receiptDecision
  Answer
  Réponse
  Antwort
receiptExperts
  For experts
  Pour les experts
  Für Fachleute
receiptPhone
  Genuine. {tenant} signed this receipt, and {phone} signed this answer to exactly this request.
  Authentique. {tenant} a signé ce reçu, et {phone} a signé cette réponse à cette demande précise.
  Echt. {tenant} hat diesen Beleg unterschrieben, und {phone} diese Antwort auf genau diese Anfrage.
receiptRaw
  Signed receipt (JWS)
  Reçu signé (JWS)
  Unterschriebener Beleg (JWS)
receiptSession
  Genuine. {tenant} signed this receipt. The answer was given in a browser, so no phone signed it.
  Authentique. {tenant} a signé ce reçu. La réponse vient d’un navigateur : aucun téléphone ne l’a signée.
  Echt. {tenant} hat diesen Beleg unterschrieben. Die Antwort kam aus einem Browser, kein Telefon hat sie unterschrieben.
receiptSigned
  Signed by
  Signé par
  Signiert von
receiptUnchecked
  Not checked: the keys of {tenant} could not be fetched.
  Non vérifié : les clés de {tenant} n’ont pas pu être obtenues.
  Nicht geprüft: Die Schlüssel von {tenant} waren nicht zu erreichen.
receiptWhat
  What
  Objet
  Worum es ging
receiptWhen
  When
  Quand
  Wann
receiptWrong
  Not genuine: the signatures do not match. Do not rely on it, and tell {tenant}.
  Pas authentique : les signatures ne correspondent pas. Ne vous y fiez pas, et prévenez {tenant}.
  Nicht echt: Die Unterschriften passen nicht. Verlassen Sie sich nicht darauf, und sagen Sie es {tenant}.
rejectAllLead
  Every request of {client} in this list is rejected.
  Chaque demande de {client} dans cette liste est refusée.
  Jede Anfrage von {client} in dieser Liste wird abgelehnt.
sum
  Sum
  Somme
  Summe
anotherAccount
  Add another account
  Ajouter un autre compte
  Weiteres Konto hinzufügen
asks
  {client} asks for your approval
  {client} demande votre accord
  {client} bittet um Ihre Zustimmung
cancel
  Cancel
  Annuler
  Abbrechen
cannotStart
  The approver cannot start
  L’application ne peut pas démarrer
  Die Freigabe kann nicht starten
cannotStartLead
  It needs a connection, and a browser window that may store data (not a private one).
  Il lui faut une connexion, et une fenêtre qui peut garder des données (pas une fenêtre privée).
  Sie braucht eine Verbindung und ein Fenster, das Daten speichern darf (kein privates).
checking
  The connection broke. Finding out if your answer arrived…
  La connexion a été coupée. Nous vérifions si votre réponse est arrivée…
  Die Verbindung ist abgebrochen. Es wird geprüft, ob Ihre Antwort ankam …
codeLeft_one
  Valid for {count} more second
  Valable encore {count} seconde
  Noch {count} Sekunde gültig
codeLeft_other
  Valid for {count} more seconds
  Valable encore {count} secondes
  Noch {count} Sekunden gültig
connecting
  Connecting…
  Connexion…
  Verbinden …
copied
  Copied
  Copié
  Kopiert
copyLink
  Copy the link
  Copier le lien
  Link kopieren
didNotWork
  This did not work
  Cela n’a pas marché
  Das hat nicht geklappt
enrolLost
  No answer came. Check the connection and try again. If the link was used up, ask for a new one.
  Aucune réponse. Vérifiez la connexion et réessayez. Si le lien a déjà servi, demandez-en un nouveau.
  Es kam keine Antwort. Prüfen Sie die Verbindung und versuchen Sie es erneut. Ist der Link verbraucht, bitten Sie um einen neuen.
enrolOver
  This link was used already or has expired. Ask for a new one.
  Ce lien a déjà servi ou a expiré. Demandez-en un nouveau.
  Dieser Link wurde schon verwendet oder ist abgelaufen. Bitten Sie um einen neuen.
enrolRefused
  The phone could not be added. Ask for a new link.
  Le téléphone n’a pas pu être ajouté. Demandez un nouveau lien.
  Das Telefon konnte nicht hinzugefügt werden. Bitten Sie um einen neuen Link.
factAddress
  address
  adresse
  Adresse
factClient
  client
  application
  Client
factFor
  for
  pour
  für
factRequest
  request
  demande
  Anfrage
factServer
  server
  serveur
  Server
foreignClient
  An application of somebody else, not of {tenant}
  Une application d’un tiers, pas de {tenant}
  Eine fremde Anwendung, nicht von {tenant}
from
  From
  De
  Von
gone
  This phone was removed from the account {account}.
  Ce téléphone a été retiré du compte {account}.
  Dieses Telefon wurde vom Konto {account} getrennt.
group
  {count} requests. Read and answer each, or all at once.
  {count} demandes. Lisez-les et répondez à chacune, ou à toutes.
  {count} Anfragen. Lesen und beantworten Sie jede einzeln oder alle zugleich.
haveLink
  Do you have a link?
  Avez-vous un lien ?
  Haben Sie einen Link?
haveLinkLead
  Scan the QR code with the phone’s camera, or enter the link or code that you were given.
  Scannez le code QR avec l’appareil photo du téléphone, ou saisissez le lien ou le code que vous avez reçu.
  Scannen Sie den QR-Code mit der Kamera des Telefons oder geben Sie den Link oder Code ein, den Sie erhalten haben.
history
  History
  Historique
  Verlauf
install
  Install the app
  Installer l’application
  App installieren
installApple
  For notifications, install first
  Pour les notifications, installez d’abord
  Für Mitteilungen zuerst installieren
installApple3
  Paste your link there.
  Collez-y votre lien.
  Fügen Sie dort Ihren Link ein.
linkElsewhere
  This link belongs to {host}. Open it in the browser.
  Ce lien appartient à {host}. Ouvrez-le dans le navigateur.
  Dieser Link gehört zu {host}. Öffnen Sie ihn im Browser.
linkUnknown
  This is not an enrolment link or code. Enter all of it.
  Ce n’est ni un lien ni un code d’ajout. Saisissez-le en entier.
  Damit lässt sich kein Telefon hinzufügen. Geben Sie alles ein.
listening
  Requests appear here by themselves.
  Les demandes s’affichent ici d’elles-mêmes.
  Anfragen erscheinen hier von selbst.
loading
  Loading…
  Chargement…
  Laden …
loginAddress
  Address
  Adresse
  Adresse
loginBrowser
  Browser, as it says
  Navigateur, selon ses dires
  Browser, nach eigener Angabe
loginHeadline
  Log in to {application}?
  Se connecter à {application} ?
  Bei {application} anmelden?
loginPlace
  Place
  Lieu
  Ort
loginSoftware
  {browser} on {system}
  {browser} sur {system}
  {browser} auf {system}
loginTime
  Time
  Heure
  Zeit
loginUnknownBrowser
  unknown browser
  navigateur inconnu
  unbekannter Browser
more
  More about this request
  En savoir plus sur cette demande
  Mehr zu dieser Anfrage
moreWait_one
  {count} more waits
  {count} autre attend
  {count} weitere wartet
moreWait_other
  {count} more wait
  {count} autres attendent
  {count} weitere warten
nameOfPhone
  Name of this phone
  Nom de ce téléphone
  Name dieses Telefons
nextRequest
  Next request
  Demande suivante
  Nächste Anfrage
no
  no
  non
  nein
noDecisions
  You have decided nothing yet.
  Vous n’avez encore rien décidé.
  Sie haben noch nichts entschieden.
none
  none
  aucun
  keine Angabe
noReceipt
  There is no receipt of this decision, or it is kept no longer.
  Il n’y a pas de reçu de cette décision, ou il n’est plus conservé.
  Zu dieser Entscheidung gibt es keinen Beleg, oder er wird nicht mehr aufbewahrt.
nothingWaits
  Nothing waits for you
  Aucune demande en attente
  Keine offenen Anfragen
notLoaded
  A request could not be loaded
  Une demande n’a pas pu être chargée
  Eine Anfrage konnte nicht geladen werden
notLoadedLead
  Trying again…
  Nouvel essai…
  Neuer Versuch …
noticeOver
  A request needs no answer any more.
  Une demande n’a plus besoin de réponse.
  Eine Anfrage braucht keine Antwort mehr.
noticeSomeRequest
  A request waits for your answer.
  Une demande attend votre réponse.
  Eine Anfrage wartet auf Ihre Antwort.
notifications
  Notifications
  Notifications
  Mitteilungen
notOffered
  This server does not show past decisions.
  Ce serveur ne montre pas les décisions passées.
  Dieser Server zeigt keine früheren Entscheidungen.
offline
  Offline
  Hors ligne
  Offline
offlineLead
  You are offline. Requests appear when the connection is back.
  Vous êtes hors ligne. Les demandes s’afficheront au retour de la connexion.
  Sie sind offline. Anfragen erscheinen, sobald die Verbindung zurück ist.
ok
  OK
  OK
  OK
oneTimeCode
  One-time code
  Code à usage unique
  Einmalcode
oneTimeCodeLead
  For a login page that asks for six digits. It works without a connection. Give it to nobody.
  Pour une page de connexion qui demande six chiffres. Il fonctionne sans connexion. Ne le donnez à personne.
  Für eine Anmeldeseite, die nach sechs Ziffern fragt. Er gilt auch ohne Verbindung. Geben Sie ihn niemandem.
outcomeAllowed
  Allowed
  Autorisée
  Erlaubt
outcomeAnswered
  Already answered
  Réponse déjà donnée
  Schon beantwortet
outcomeAnsweredLead
  The history shows which answer arrived.
  L’historique montre quelle réponse est arrivée.
  Der Verlauf zeigt, welche Antwort ankam.
outcomeElsewhere
  No answer needed any more
  Plus besoin de réponse
  Keine Antwort mehr nötig
outcomeElsewhereLead
  It was answered on another screen, or withdrawn.
  La demande a reçu une réponse ailleurs, ou a été retirée.
  Die Anfrage wurde anderswo beantwortet oder zurückgezogen.
outcomeExpired
  Expired
  Expirée
  Abgelaufen
outcomeExpiredLead
  Nothing was allowed.
  Rien n’a été autorisé.
  Es wurde nichts erlaubt.
outcomeRejected
  Rejected
  Refusée
  Abgelehnt
outcomeReportedLead
  The operator was told. This client has to wait before it can ask again.
  L’exploitant est prévenu. Cette application doit attendre avant de vous solliciter à nouveau.
  Der Betreiber weiß davon. Dieser Client muss warten, bis er wieder fragen kann.
outcomeWrongNumber
  Rejected: another number was shown
  Refusée : un autre nombre était affiché
  Abgelehnt: Angezeigt wurde eine andere Zahl
outcomeWrongNumberLead
  Somebody else may have asked in your name. If it was you, start again.
  Quelqu’un d’autre a peut-être demandé en votre nom. Si c’était vous, recommencez.
  Vielleicht hat jemand anderes in Ihrem Namen gefragt. Wenn Sie es waren, beginnen Sie von vorn.
ownClient
  An application of {tenant}
  Une application de {tenant}
  Eine Anwendung von {tenant}
passkey
  Passkey
  Clé d’accès
  Passkey
passkeyAccount
  Passkeys on your account page
  Les clés d’accès sur la page de votre compte
  Passkeys auf Ihrer Kontoseite
passkeyAdd
  Add a passkey
  Ajouter une clé d’accès
  Passkey hinzufügen
passkeyConfirm
  Confirm that it is you
  Confirmez que c’est vous
  Bestätigen Sie, dass Sie es sind
passkeyConfirmLead
  Use your passkey: fingerprint, face or the phone’s PIN.
  Utilisez votre clé d’accès : empreinte, visage ou code du téléphone.
  Nutzen Sie Ihren Passkey: Fingerabdruck, Gesicht oder PIN des Telefons.
passkeyElsewhereLead
  Add one on your account page, where you prove who you are, then come back.
  Ajoutez-en une sur la page de votre compte, où vous prouvez qui vous êtes, puis revenez.
  Fügen Sie einen auf Ihrer Kontoseite hinzu, wo Sie sich ausweisen, und kommen Sie dann zurück.
passkeyLost
  I don’t have this passkey any more
  Je n’ai plus cette clé d’accès
  Diesen Passkey habe ich nicht mehr
passkeyMake
  Make one now
  En créer une maintenant
  Jetzt erstellen
passkeyNeeded
  This needs a passkey
  Il faut une clé d’accès
  Dafür brauchen Sie einen Passkey
passkeyNeededLead
  With it, your fingerprint, your face or the phone’s PIN confirms that it is you.
  Avec elle, votre empreinte, votre visage ou le code du téléphone confirme que c’est vous.
  Damit bestätigen Fingerabdruck, Gesicht oder PIN des Telefons, dass Sie es sind.
passkeyNo
  none
  aucune
  keiner
passkeyUnsupported
  This browser has no passkeys
  Ce navigateur n’a pas de clés d’accès
  Dieser Browser hat keine Passkeys
passkeyUnsupportedLead
  This needs one. Answer on another phone of yours, or reject.
  Il en faut une. Répondez avec un autre de vos téléphones, ou refusez.
  Dafür ist einer nötig. Antworten Sie mit einem anderen Ihrer Telefone, oder lehnen Sie ab.
passkeyUse
  Confirm
  Confirmer
  Bestätigen
passkeyYes
  registered
  enregistrée
  registriert
pasteLink
  Link or code
  Lien ou code
  Link oder Code
payment
  {amount} to {payee}
  {amount} à {payee}
  {amount} an {payee}
phoneName
  {browser} on {system}
  {browser} sur {system}
  {browser} auf {system}
pickNumber
  Which number does the other screen show?
  Quel nombre affiche l’autre écran ?
  Welche Zahl zeigt der andere Bildschirm?
pickNumberOf
  Which number does {screen} show?
  Quel nombre {screen} affiche-t-il ?
  Welche Zahl zeigt {screen}?
pickThis
  Allow with the number {number}
  Autoriser avec le nombre {number}
  Mit der Zahl {number} erlauben
problemBlocked
  This account is blocked. Contact the operator of this service.
  Ce compte est bloqué. Adressez-vous à l’exploitant de ce service.
  Dieses Konto ist gesperrt. Wenden Sie sich an den Betreiber dieses Dienstes.
problemLost
  Your answer did not arrive. Please answer again.
  Votre réponse n’est pas arrivée. Répondez encore une fois.
  Ihre Antwort ist nicht angekommen. Bitte antworten Sie noch einmal.
problemPasskey
  Not confirmed, so nothing was allowed.
  Pas de confirmation : rien n’a été autorisé.
  Nicht bestätigt, also wurde nichts erlaubt.
problemRefused
  The server did not take the answer. Try again, or reject.
  Le serveur n’a pas accepté la réponse. Réessayez, ou refusez.
  Der Server hat die Antwort nicht angenommen. Versuchen Sie es erneut, oder lehnen Sie ab.
push_denied
  This browser blocks notifications of this site. Its settings can allow them.
  Ce navigateur bloque les notifications de ce site. Autorisez-les dans ses réglages.
  Dieser Browser sperrt Mitteilungen dieser Seite. Seine Einstellungen können sie erlauben.
push_install
  They need the installed app.
  Elles nécessitent l’application installée.
  Mitteilungen erfordern die installierte App.
push_none
  This browser takes no notifications. Requests appear only while this page is open.
  Ce navigateur ne reçoit pas de notifications. Les demandes n’apparaissent que lorsque cette page est ouverte.
  Dieser Browser empfängt keine Mitteilungen. Anfragen erscheinen nur, solange diese Seite offen ist.
push_off
  Requests then reach you when this page is closed.
  Les demandes vous parviennent alors même si cette page est fermée.
  Dann erreichen Anfragen Sie auch, wenn diese Seite geschlossen ist.
push_server
  This service sends no notifications. Requests appear only while this page is open.
  Ce service n’envoie pas de notifications. Les demandes n’apparaissent que lorsque cette page est ouverte.
  Dieser Dienst schickt keine Mitteilungen. Anfragen erscheinen nur, solange diese Seite offen ist.
quietHours
  Quiet hours
  Heures calmes
  Ruhezeit
quietHoursLead
  Only urgent requests make a sound. For all your phones.
  Seules les demandes urgentes sonnent. Pour tous vos téléphones.
  Nur dringende Anfragen sind zu hören. Für alle Ihre Telefone.
ready
  This phone is ready. You can go back to the page you came from.
  Ce téléphone est prêt. Vous pouvez revenir à la page précédente.
  Dieses Telefon ist bereit. Sie können zur vorigen Seite zurückkehren.
reason
  Reason
  Motif
  Grund
reasonGiven
  Reason: {reason}
  Motif : {reason}
  Grund: {reason}
reasonHint
  The application that asked reads it.
  L’application à l’origine de la demande le lira.
  Die Anwendung, die gefragt hat, liest ihn.
receipt
  Receipt
  Reçu
  Beleg
receiptSave
  Save receipt
  Enregistrer le reçu
  Beleg speichern
receiptShow
  Show receipt
  Afficher le reçu
  Beleg zeigen
refusedLead
  The server refused it.
  Le serveur l’a refusé.
  Der Server hat es abgelehnt.
reject
  Reject
  Refuser
  Ablehnen
rejectAll
  Reject all {count}
  Refuser les {count}
  Alle {count} ablehnen
rejectAllTitle
  Reject {count} requests?
  Refuser {count} demandes ?
  {count} Anfragen ablehnen?
removeAccount
  Remove from this phone
  Retirer de ce téléphone
  Von diesem Telefon entfernen
removeLead
  This phone will no longer answer for {account}. To add it again you need a new link.
  Ce téléphone ne répondra plus pour {account}. Pour l’ajouter de nouveau, il faudra un nouveau lien.
  Dieses Telefon antwortet dann nicht mehr für {account}. Um es wieder hinzuzufügen, brauchen Sie einen neuen Link.
removeNow
  Remove
  Retirer
  Entfernen
rename
  Rename
  Renommer
  Umbenennen
renameThis
  Rename {name}
  Renommer {name}
  {name} umbenennen
report
  I did not ask for this
  Je n’ai rien demandé
  Das war ich nicht
reportHint
  Rejects the request, tells the operator, and makes this client wait before it can ask again.
  Refuse la demande, prévient l’exploitant, et fait attendre cette application avant de vous solliciter à nouveau.
  Lehnt ab, benachrichtigt den Betreiber, und dieser Client muss warten, bis er wieder fragen kann.
reportNow
  Reject and report
  Refuser et signaler
  Ablehnen und melden
requests
  Requests
  Demandes
  Anfragen
save
  Save
  Enregistrer
  Speichern
saved
  Saved
  Enregistré
  Gespeichert
scope_address
  See your postal address
  Voir votre adresse postale
  Ihre Postanschrift sehen
scope_email
  See your e-mail address
  Voir votre adresse e-mail
  Ihre E-Mail-Adresse sehen
scope_offline_access
  Go on while you are not there
  Continuer sans vous
  Auch ohne Sie weitermachen
scope_openid
  Know that it is you
  Savoir que c’est vous
  Wissen, dass Sie es sind
scope_phone
  See your phone number
  Voir votre numéro de téléphone
  Ihre Telefonnummer sehen
scope_profile
  See your name and profile
  Voir votre nom et votre profil
  Ihren Namen und Ihr Profil sehen
scopes
  It will be able to
  Cette application pourra
  Diese Anwendung darf dann
sending
  Sending your answer…
  Envoi de votre réponse…
  Ihre Antwort wird gesendet …
settings
  Settings
  Réglages
  Einstellungen
showMore
  Show more
  Afficher plus
  Mehr zeigen
since
  since {date}
  depuis {date}
  seit {date}
skip
  Skip to content
  Aller au contenu
  Zum Inhalt springen
thisPhone
  This phone
  Ce téléphone
  Dieses Telefon
timeLeft
  {time} left
  encore {time}
  noch {time}
to
  To
  À
  Bis
tryAgain
  Try again
  Réessayer
  Erneut versuchen
turnOff
  Turn off
  Désactiver
  Ausschalten
turnOn
  Turn on notifications
  Activer les notifications
  Mitteilungen einschalten
typeNumber
  Type the number that the other screen shows
  Saisissez le nombre qu’affiche l’autre écran
  Geben Sie die Zahl ein, die der andere Bildschirm zeigt
typeNumberOf
  Type the number that {screen} shows
  Saisissez le nombre qu’affiche {screen}
  Geben Sie die Zahl ein, die {screen} zeigt
typeTwoDigits
  Type the two digits that the other screen shows.
  Saisissez les deux chiffres qu’affiche l’autre écran.
  Geben Sie die zwei Ziffern ein, die der andere Bildschirm zeigt.
untyped
  detail without type
  détail sans type
  Angabe ohne Typ
urgent
  urgent
  urgente
  dringend
useLink
  Continue
  Continuer
  Weiter
wayAccount
  account page
  page de votre compte
  Kontoseite
wayAnother
  Add another phone
  Ajouter un autre téléphone
  Weiteres Telefon hinzufügen
wayAnotherLead
  Scan this code with the other phone’s camera. It adds one phone, once, and you get a mail about it.
  Scannez ce code avec l’appareil photo de l’autre téléphone. Il ajoute un téléphone, une fois, et vous recevez un message à ce sujet.
  Scannen Sie diesen Code mit der Kamera des anderen Telefons. Er fügt ein Telefon hinzu, einmal, und Sie bekommen eine Mail darüber.
wayBack
  Ways back
  Pour revenir
  Wege zurück
wayBackAccount
  Log in to your {page} and add this phone there. If you have no second factor left, use a recovery code.
  Connectez-vous à la {page} et ajoutez-y ce téléphone. S’il ne vous reste aucun second facteur, utilisez un code de secours.
  Melden Sie sich auf Ihrer {page} an und fügen Sie dieses Telefon dort hinzu. Ohne zweiten Faktor hilft ein Wiederherstellungscode.
wayBackAsk
  Or ask for a new link, and enter it or its code here.
  Ou demandez un nouveau lien, et saisissez-le ici, ou son code.
  Oder bitten Sie um einen neuen Link und geben Sie ihn oder seinen Code hier ein.
wayBackPhone
  On another phone of yours: Settings, “Add another phone”. Scan the code, or enter it here.
  Sur un autre de vos téléphones : Réglages, « Ajouter un autre téléphone ». Scannez le code, ou saisissez-le ici.
  Auf einem anderen Ihrer Telefone: Einstellungen, „Weiteres Telefon hinzufügen“. Scannen Sie den Code, oder geben Sie ihn hier ein.
wayCode
  Code
  Code
  Code
wayCodeOver
  This code is wrong, was used or has expired. Check it, or get a new one.
  Ce code est faux, a déjà servi ou a expiré. Vérifiez-le, ou demandez-en un nouveau.
  Dieser Code ist falsch, schon verwendet oder abgelaufen. Prüfen Sie ihn, oder holen Sie einen neuen.
wayForget
  Forget the account on this phone
  Oublier le compte sur ce téléphone
  Konto auf diesem Telefon vergessen
wayHome
  Tap “Add to Home Screen”.
  Touchez « Sur l’écran d’accueil ».
  Tippen Sie auf „Zum Home-Bildschirm“.
wayInstall
  Install this app first
  Installez d’abord cette application
  Zuerst diese App installieren
wayInstallLead
  An iPhone gives notifications to installed apps alone. Your link for {tenant} stays unused until then.
  Un iPhone n’envoie de notifications qu’aux applications installées. D’ici là, votre lien pour {tenant} ne sera pas utilisé.
  Ein iPhone gibt Mitteilungen nur an installierte Apps. Ihr Link für {tenant} bleibt bis dahin unbenutzt.
wayKeyGone
  key lost
  clé perdue
  Schlüssel verloren
wayLost
  This phone has lost its key
  Ce téléphone a perdu sa clé
  Dieses Telefon hat seinen Schlüssel verloren
wayLostLead
  The browser has deleted what this phone signed with, so it cannot approve anything for {tenant}. Nothing was approved without you. Add this phone again.
  Le navigateur a supprimé ce avec quoi ce téléphone signait : il ne peut plus rien autoriser pour {tenant}. Rien n’a été autorisé sans vous. Ajoutez de nouveau ce téléphone.
  Der Browser hat gelöscht, womit dieses Telefon unterschrieb. Es kann für {tenant} nichts mehr freigeben. Ohne Sie wurde nichts freigegeben. Fügen Sie dieses Telefon neu hinzu.
wayNeedsBrowser
  This browser cannot keep a key. Use a current version of Chrome, Edge, Firefox or Safari, and not a private window.
  Ce navigateur ne peut pas conserver de clé. Utilisez une version récente de Chrome, Edge, Firefox ou Safari, et pas une fenêtre privée.
  Dieser Browser kann keinen Schlüssel aufbewahren. Nehmen Sie eine aktuelle Version von Chrome, Edge, Firefox oder Safari, und kein privates Fenster.
wayNeedsSecure
  The address must start with https. Open the link that you were given, without changing it.
  L’adresse doit commencer par https. Ouvrez le lien que vous avez reçu, sans le modifier.
  Die Adresse muss mit https beginnen. Öffnen Sie den Link so, wie Sie ihn erhalten haben.
wayOpen
  Open the new icon.
  Ouvrez la nouvelle icône.
  Öffnen Sie das neue Symbol.
wayPicture
  QR code that adds another phone
  Code QR qui ajoute un autre téléphone
  QR-Code, der ein weiteres Telefon hinzufügt
waySafari
  Use this browser anyway
  Utiliser ce navigateur quand même
  Trotzdem diesen Browser verwenden
waySafariLead
  Notifications will not work here. You will see requests only while this page is open.
  Les notifications ne marcheront pas ici. Vous ne verrez les demandes que lorsque cette page est ouverte.
  Mitteilungen gibt es hier nicht. Sie sehen Anfragen nur, solange diese Seite offen ist.
waySafariYes
  Go on without notifications
  Continuer sans notifications
  Ohne Mitteilungen weiter
wayScan
  Scan a QR code
  Scanner un code QR
  QR-Code scannen
wayScanLead
  Hold the code in front of the camera.
  Placez le code devant l’appareil photo.
  Halten Sie den Code vor die Kamera.
wayShare
  Tap Share.
  Touchez Partager.
  Tippen Sie auf Teilen.
wayTooMany
  There were too many wrong codes. Use the link, or wait an hour.
  Il y a eu trop de codes faux. Utilisez le lien, ou attendez une heure.
  Es gab zu viele falsche Codes. Nehmen Sie den Link, oder warten Sie eine Stunde.
wayTypeCode
  If the app asks for a code, enter this one:
  Si l’application demande un code, saisissez celui-ci :
  Wenn die App nach einem Code fragt, geben Sie diesen ein:
wayValid
  Valid once, until {time}
  Valable une fois, jusqu’au {time}
  Einmal gültig, bis {time}
welcome
  Approve with this phone
  Autoriser avec ce téléphone
  Mit diesem Telefon freigeben
welcomeLead
  {tenant} will ask you here before something is done in your name. This phone signs your answers.
  {tenant} vous demandera votre accord ici avant d’agir en votre nom. Ce téléphone signe vos réponses.
  {tenant} fragt Sie hier, bevor etwas in Ihrem Namen geschieht. Dieses Telefon unterschreibt Ihre Antworten.
withReason
  Reject with a reason
  Refuser avec un motif
  Mit Grund ablehnen
yes
  yes
  oui
  ja
yourPhones
  Your phones
  Vos téléphones
  Ihre Telefone
`;var St=["en","fr","de"],Ys=n=>St.includes(n.slice(0,2).toLowerCase()),re=navigator.languages.find(Ys)??"en",xe=re.slice(0,2).toLowerCase(),kt=gn.trim().split(`
`).map(n=>n.trim()),Xs=St.length+1,eo=St.indexOf(xe)+1,Xe=new Map;for(let n=0;n<kt.length;n+=Xs)Xe.set(kt[n],kt[n+eo]);var to=new Intl.PluralRules(xe),xt=n=>Xe.has(n);function At(n,e,t){let s=Xe.get(n);if(s===void 0)throw new Error(`no text ${n}`);return s.split(/\{(\w+)\}/).map((o,r)=>{let c=e[o];return r%2===0?o:typeof c=="number"?c.toLocaleString(re):t(c)})}var a=(n,e={})=>At(n,e,t=>`⁨${Oe(t)}⁩`).join(""),wn=(n,e={})=>At(n,e,t=>t).join(""),b=(n,e={})=>At(n,e,t=>t instanceof Node?t:v(t)),ae=(n,e)=>b(`${n}_${to.select(e)==="one"?"one":"other"}`,{count:e}),v=(n,e="bdi")=>i(e,{dir:"auto"},Oe(n)),Ct=fn(re,{none:a("none"),yes:a("yes"),no:a("no"),payment:Xe.get("payment")??""}),yn=n=>new Intl.ListFormat(re).format(n),bn=n=>new Intl.DateTimeFormat(re,{dateStyle:"medium"}).format(n),ce=n=>new Intl.DateTimeFormat(re,{dateStyle:"medium",timeStyle:"short"}).format(n),no=[["day",86400],["hour",3600],["minute",60],["second",1]];function vn(n){let e=Math.max(0,Math.ceil(n/1e3)),t=no.map(([o,r])=>{let c=Math.floor(e/r);return e%=r,{number:c,unit:o}}),s=t.findIndex(({number:o,unit:r})=>o>0||r==="second");return t.slice(s,s+2).filter(({number:o},r)=>o>0||r===0).map(({number:o,unit:r})=>o.toLocaleString(re,{style:"unit",unit:r,unitDisplay:"short"})).join(" ")}var kn=n=>Array.isArray(n)?n:[],et=n=>Ct(n.get("authorization_details"),n.get("presentation")),q=n=>n.get("client_name")??n.get("client_id")??"",tt=n=>cn(n,xe,wn,Ct),le=n=>ue(n)?"":n.get("binding_message")??"",Tt=n=>kn(n.get("matching_choices")).filter(e=>/^\d\d$/.test(e)),Lt=n=>n.get("matching")==="type",_e=n=>Lt(n)||Tt(n).length>0,Sn=n=>kn(n.get("scope")),Ot=n=>n.title??a("untyped"),ue=n=>n.get("login")instanceof Map,G=(...n)=>mn(n.flatMap(et));function Me(n){let e=tt(n)?.headline;if(e)return[[{text:e}]];let{lines:t}=G(n);return t.length?t.map(({parts:s})=>s):et(n).map(s=>[{text:Ot(s)}])}var _t=n=>n.get("audience_name")??n.get("audience"),so=/[\u2066-\u2069]/g,oo=n=>n.map(({text:e})=>Oe(e)).join("");function Ne(n){let[e,t]=[Me(n),_t(n)];return e.length?e.map(oo).join(", "):t?a("accessTo",{audience:t}).replace(so,""):""}function I(n,e,t=a("cancel")){return new Promise(s=>{let o=i("dialog.sheet",{"aria-labelledby":"sheet-title"}),r,c=l=>{r=l,o.close()};o.append(i("div.sheet-body",i("h2",{id:"sheet-title",tabindex:-1},n),e(c),m("plain",t,()=>c()))),ye(o,{close:()=>{o.remove(),s(r)},click:l=>l.target===o&&c()}),document.querySelector("main")?.append(o),o.showModal(),o.querySelector("h2")?.focus()})}var de=(n,e,t,s="danger")=>I(n,o=>[i("p",e),m(s,t,()=>o(!0))]),xn=()=>I(a("withReason"),n=>{let e=i("textarea",{id:"reason",maxlength:256,rows:3,"aria-describedby":"reason-hint"});return[i("label",{for:"reason"},a("reason")),i("p.hint",{id:"reason-hint"},a("reasonHint")),e,m("danger",a("reject"),()=>n({accepted:!1,reason:e.value.trim()||void 0}))]}),An=async()=>await de(a("report"),a("reportHint"),a("reportNow"))?{accepted:!1,reported:!0}:void 0,Cn=(n,e,t,s)=>I(n,o=>{let r=i("input",{id:"line",value:t,maxlength:60,autocomplete:"off"});return[oe(()=>o(r.value.trim()||void 0),i("label",{for:"line"},e),r,i("button.allow",{type:"submit"},s))]});async function W(n){try{await n()}catch(e){let t=e instanceof O;t||console.error(e),await I(a("didNotWork"),()=>[i("p",a(t?"refusedLead":"tryAgain"))],a("ok"))}}var Nt=n=>b("timeLeft",{time:document.createTextNode(vn(n.expiresAt-D()))});function Et(n){let e=i("span"),t=i("span.left"),s=i("p.clock.moves",t,i("span.bar",{"aria-hidden":"true"},e));return s.update=()=>{let o=n.expiresAt-D(),r=Math.max(0,Math.min(1,o/(n.expiresAt-n.createdAt)));t.replaceChildren(...Nt(n)),e.style.inlineSize=`${r*100}%`,s.classList.toggle("soon",o<3e4)},s.update(),s}function io(n){let e=n.get("client_logo"),t=i("span.letter",{"aria-hidden":"true"},[...q(n).trim()][0]?.toUpperCase()??"?");if(typeof e!="string"||!e.startsWith("https://"))return t;let s=i("img.logo",{src:e,alt:"",referrerpolicy:"no-referrer",width:48,height:48});return s.addEventListener("error",()=>s.replaceWith(t)),s}function Re(n,e,t="h1"){let s=n.get("client_is_first_party");return i("div.asking",io(n),i("div",i(t,{tabindex:-1},b("asks",{client:q(n)})),s!==void 0&&i(s?"p.origin.own":"p.origin",b(s?"ownClient":"foreignClient",{tenant:e}))))}var Rt=n=>i("span.line",n.map(({text:e,isOwn:t})=>t?e:v(e)));function On(n){let[e,t]=[Me(n),_t(n)];return e.length?e.map(Rt):t?b("accessTo",{audience:t}):[]}function ro(n,e=le(n)){return e&&i("figure.says",i("figcaption",b("clientSays",{client:q(n)})),i("blockquote",_n(e,"p")))}function Z(n){return n.dataset.part="",n}var Tn=500;function _n(n,e="span"){let t=String(n);if(t.length<=Tn)return Z(v(t,e));let s=t.match(new RegExp(`[^]{1,${Tn}}(?![\\udc00-\\udfff])`,"g"))??[];return i(e,{dir:"auto"},s.map(o=>Z(v(o,"span"))))}function Pe({record:n},{title:e="h2",part:t="h2"}={}){let s=Sn(n),o=On(n),r=tt(n)?.rows;return[o.length>0&&Z(i(`${e}.headline`,{id:`headline-${n.get("id")}`},o)),ro(n),r&&i("section.detail",i("dl",r.map(({label:c,value:l})=>[i("dt",c),i("dd",Z(v(l,"strong")))]))),et(n).map(c=>uo(c,t)),s.length>0&&i("section.scopes",i(t,a("scopes")),i("ul",s.map(c=>Z(i("li",ao(c)))))),i("details.origin-facts",i("summary",a("more")),i("dl",Ee("factFor",n.get("audience_name")),Ee("factAddress",n.get("audience")),Ee("factClient",n.get("client_id")),Ee("factServer",n.get("iss")),Ee("factRequest",n.get("id"))))]}var Ee=(n,e)=>e&&[i("dt",a(n)),i("dd",v(e,"span"))];function ao(n){let[e,t]=[n.get("value"),n.get("description")];if(t)return v(t,"span");let s=`scope_${e}`;return xt(s)?a(s):v(e,"code")}function $e({record:n}){let e=On(n);return i("span.brief",e.length>0&&i("strong",e),i("span",v(q(n))),Nn(n))}function Mn(n,e){let t=tt(n)?.screen;return t?b(`${e}Of`,{screen:t}):b(e)}function co(n,e,t){let s=`number-${n.get("id")}`,o=i("p.problem",{id:`${s}-problem`,role:"alert"}),r=i("input.digits",{id:s,type:"text",inputmode:"numeric",autocomplete:"off",maxlength:2,"aria-describedby":o.id});return i("div.numbers",oe(()=>{let c=r.value.trim();if(/^\d\d$/.test(c))return e(c);o.textContent=a("typeTwoDigits"),r.setAttribute("aria-invalid","true"),r.focus()},i("label",{for:s},Mn(n,"typeNumber")),o,r,m("allow",Ae("allow",G(n).action),void 0,{...t,type:"submit"})))}var Nn=n=>le(n)&&i("q.hint",v(le(n))),Ae=(n,e,t={})=>e?b(`${n}What`,{action:e,...t}):b(n,t);function lo(n,e,t){let{action:s}=G(n);return i("fieldset.numbers",i("legend",Mn(n,"pickNumber")),i("div",Tt(n).map(o=>m("number",o,()=>e(o),{...t,"aria-label":s?a("pickThisWhat",{number:o,action:s}):a("pickThis",{number:o})}))))}function Pt(n,e){let t=p=>async()=>{let h=await p();h&&e(h)},{record:s}=n,o={disabled:!0,"aria-describedby":`headline-${n.id}`},r={...o,"data-allows":!0},c={...o,"aria-haspopup":"dialog"},l=p=>e({accepted:!0,pick:p}),d=n.state!=="open";return i("div.answers",n.problem&&i("p.problem",{role:"alert"},a(n.problem)),d&&i("p.working",{role:"status"},a(n.state)),ze(),Lt(s)?co(s,l,r):_e(s)&&lo(s,l,r),i("div.row",m("reject",a("reject"),()=>e({accepted:!1}),o),!_e(s)&&m("allow",Ae("allow",G(s).action),()=>e({accepted:!0}),r)),i("div.row",m("quiet",a("withReason"),t(xn),c),m("quiet",a("report"),t(An),c)))}var ze=()=>i("div.read-on",{hidden:!0});function je(n,e){n.hidden=e.length===0;let t=ae("partsLeft",e.length),[s]=n.getElementsByTagName("button");s||n.append(i("p.hint"),m("small",a("nextPart"),()=>n.unread?.[0]&&an(n.unread[0].element))),n.unread=e,n.firstElementChild?.replaceChildren(...t)}var Mt=new WeakMap;function En(n,e){let t=[...e.querySelectorAll("[data-part]")];return Mt.has(n)||Mt.set(n,new be(t.length)),t.map((s,o)=>({element:s,index:o,reading:Mt.get(n)}))}function De(n,e){let t=Ne(e);return t?b("outcomeWhat",{outcome:document.createTextNode(a(n)),what:t}):[a(n)]}function Rn(n,e){let{record:t}=n,s=n.outcome==="outcomeAllowed",o=["outcomeRejected","outcomeReported","outcomeWrongNumber"].includes(n.outcome),r=`${n.outcome}Lead`;return i("section.outcome",s?z(_.done,"seal.good"):z(o?_.no:_.history),T(De(n.outcome,t)),i("p",v(q(t))),i("p",Nn(t)),xt(r)&&i("p.hint",a(r)),e)}var uo=(n,e)=>i("section.detail",Z(i(e,v(Ot(n)))),$t(n,!0),Pn(n.parts??[],1)),$t=(n,e)=>{let t=n.description&&i("p.hint",v(n.description));return t&&(e?Z(t):t)},Ln=4;function Pn(n,e,t=""){return n.length?i(e>Ln?"dl.deep":"dl",{"data-depth":e},n.map((s,o)=>{let r=s.parts||s.isFormatted&&String(s.text).length>16?".wide":"",c=`${t}${o+1}`,l=i(`dt${r}`,e>=Ln&&i("span.path",`${c} `),v(s.title));return[s.parts?Z(l):l,i(`dd${r}`,$t(s,Boolean(s.parts)),$n(s,e+1,`${c}.`))]})):null}function $n({text:n,parts:e,isFormatted:t,isList:s},o,r){return e?s?i("ol",e.map((c,l)=>i("li",{"data-depth":o},c.title&&[i("strong",v(c.title))," "],$t(c,!1),$n(c,o+1,`${r}${l+1}.`)))):Pn(e,o,r):_n(n,t?"strong.value":"span")}var zn=45e3,ho=25e3,po=6e4,fo=3;function jn(n,e=fo){return e===0||document.hidden||!navigator.locks?n(!1):navigator.locks.request(`approver-channel-${e}`,{ifAvailable:!0},t=>t?n(!0):jn(n,e-1))}var nt=class extends EventTarget{isOpen=!1;isListed=!1;last="";failures=0;heard=0;abort=new AbortController;wake;get isFresh(){return this.isOpen&&Date.now()-this.heard<ho}constructor(e){super(),this.device=e}start(){this.running||(this.running=!0,this.run())}stop(){this.running=!1,this.restart()}restart(){this.failures=0,this.abort.abort(),this.wake?.()}async run(){for(;this.running;){let e;this.abort=new AbortController;try{e=await jn(s=>s?this.read():this.poll())}catch(s){this.failures+=1,s instanceof O&&s.code==="enrollment_not_found"&&(this.running=!1,this.emit("removed"))}if(e||this.open(!1),!this.running)return;e??=Math.min(po,500*2**this.failures);let{signal:t}=this.abort;await new Promise(s=>{this.wake=s,setTimeout(s,t.aborted?0:e*(.5+Math.random()/2))})}}async read(){let e=setTimeout(()=>this.abort.abort(),zn);try{let t=await this.device.events(this.last,this.abort.signal);if(!t.headers.get("Content-Type")?.startsWith("text/event-stream"))throw new R("no events");this.heard=Date.now(),this.open(!0),this.failures+=1;let s=t.body.pipeThrough(new TextDecoderStream).getReader(),o="";for(;;){let{value:r,done:c}=await s.read();if(c)return;this.heard=Date.now(),clearTimeout(e),e=setTimeout(()=>this.abort.abort(),zn);let l=(o+r).split(`

`);o=l.pop()??"",l.length&&(this.failures=0);for(let d of l)this.take(d)}}catch(t){throw t instanceof O?t:new R(String(t))}finally{clearTimeout(e)}}take(e){let{event:t,data:s,id:o}=Object.fromEntries(e.split(`
`).map(r=>r.split(/: ?(.*)/,2)));s&&this.receive(t,JSON.parse(s)),o!==void 0&&(this.last=o)}open(e){this.isOpen!==e&&(this.isOpen=e,this.emit(e?"open":"closed"))}receive(e,t){this.isListed||=e==="pending",this.emit(e,t)}async poll(){let e=await this.device.pending();this.failures=0,this.heard=Date.now(),this.open(!0);for(let t of e)this.receive("notification",t);return this.receive("pending",{txlnkid:e.map(t=>t.mfa.txlnkid)}),15e3}emit=(e,t)=>this.dispatchEvent(new CustomEvent(e,{detail:t}))};var mo={sha1:"SHA-1",sha256:"SHA-256",sha512:"SHA-512"};function go(n){let e="ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",t=[],[s,o]=[0,0];for(let r of n.toUpperCase().replace(/=+$/,"")){let c=e.indexOf(r);if(c<0)return;s=(s<<5|c)&4095,o+=5,o>=8&&(o-=8,t.push(s>>o&255))}return Uint8Array.from(t)}async function Dn(n){if(!n)return;let{secret:e,algorithm:t,digits:s,period:o}=n,[r,c]=[go(e),mo[t]];return!r?.length||!c||![6,7,8].includes(s)||!(o>=1&&o<=3600)?void 0:{key:await crypto.subtle.importKey("raw",r,{name:"HMAC",hash:c},!1,["sign"]),digits:s,period:o}}async function qn({key:n,digits:e,period:t},s){let o=t*1e3,r=new DataView(new ArrayBuffer(8));r.setBigUint64(0,BigInt(Math.floor(s/o)));let c=new DataView(await crypto.subtle.sign("HMAC",n,r)),l=c.getUint32(c.getUint8(c.byteLength-1)&15)&2147483647;return{text:String(l%10**e).padStart(e,"0"),left:o-s%o}}var Bn;function wo(){return Bn??=new Promise((n,e)=>{let t=indexedDB.open("approver",1);t.onupgradeneeded=()=>{t.result.createObjectStore("accounts",{keyPath:"id"}),t.result.createObjectStore("values")},t.onsuccess=()=>n(t.result),t.onerror=()=>e(t.error)}),Bn}async function Ce(n,e,t){let s=(await wo()).transaction(n,e,{durability:"strict"});return new Promise((o,r)=>{let c=t(s.objectStore(n));s.oncomplete=()=>o(c.result),s.onabort=()=>r(s.error)})}async function qe(){return(await Ce("accounts","readonly",e=>e.getAll())).sort((e,t)=>e.addedAt-t.addedAt)}var In=n=>Ce("accounts","readwrite",e=>e.put(n));function j(n,e){return Object.assign(n,e),Ce("accounts","readwrite",t=>{let s=t.get(n.id);return s.onsuccess=()=>s.result&&t.put({...s.result,...e}),s})}var he=n=>Ce("accounts","readwrite",e=>e.delete(n)),st=n=>Ce("values","readonly",e=>e.get(n)),Q=(n,e)=>Ce("values","readwrite",t=>t.put(e,n));var Un="/approver",Vn="/approver/sw.js",Be=()=>navigator.serviceWorker?.getRegistration(Un),yo=/iPhone|iPad|iPod/.test(navigator.userAgent)||navigator.platform==="MacIntel"&&navigator.maxTouchPoints>1,bo=matchMedia("(display-mode: standalone)").matches||navigator.standalone===!0,Ie=yo&&!bo,Wn=globalThis.trustedTypes?.createPolicy("approver-worker",{createScriptURL:()=>Vn});async function zt(){let n=Wn?Wn.createScriptURL(""):Vn;await navigator.serviceWorker?.register(n,{scope:Un,updateViaCache:"none"}).catch(console.error)}var Fn=n=>Q("brief",{base:n.base,name:n.name,someRequest:a("noticeSomeRequest"),over:a("noticeOver")});async function We(n){return n.web_push_key?"serviceWorker"in navigator?Ie?"install":!("PushManager"in window)||!("Notification"in window)?"none":Notification.permission==="denied"?"denied":Notification.permission==="granted"&&await(await Be())?.pushManager.getSubscription()?"on":"off":"none":"server"}async function vo(){return await Be()||await zt(),Promise.race([navigator.serviceWorker.ready,new Promise((n,e)=>{setTimeout(()=>e(new Error("no worker")),1e4)})])}async function Hn(n){let e=F(n.web_push_key),{pushManager:t}=await vo(),s=await t.getSubscription(),o=s&&new Uint8Array(s.options.applicationServerKey??[]);return s&&o.length===e.length&&o.every((r,c)=>r===e[c])?s:(await s?.unsubscribe(),t.subscribe({userVisibleOnly:!0,applicationServerKey:e}))}async function ot(n,e){if(await Notification.requestPermission()!=="granted")return;let t=await Hn(n);await Promise.all(e.map(s=>Jn(s,t)))}var jt=async()=>(await(await Be())?.pushManager?.getSubscription())?.unsubscribe();async function Kn(n){await jt();for(let e of n)await j(e.account,{pushEndpoint:void 0}),await e.update({push_credentials:null})}async function Gn(n,e){let t=await We(n)==="on"?await Hn(n).catch(console.error):void 0;await Promise.allSettled(e.map(async s=>{let{account:o,devices:r}=await s.phones();o!==s.account.label&&await j(s.account,{label:o}),r.find(({current:c})=>c)?.push||(s.account.pushEndpoint=void 0),await Jn(s,t)}))}async function Jn(n,e){let{account:t}=n;t.capabilities===Le(t)&&(!e||t.pushEndpoint===e.endpoint)||(await n.describe(e),await j(t,{capabilities:Le(t),...e&&{pushEndpoint:e.endpoint}}))}async function Dt(n){for(let e of await(await Be())?.getNotifications({tag:n})??[])e.close()}async function Zn(n,e){for(let t of await(await Be())?.getNotifications()??[])t.data?.account===n&&!e.includes(t.tag)&&t.close()}var Yn="/approver/farewell.json",Xn=globalThis.localStorage;async function J(){let n={marks:[]};try{n={...n,...JSON.parse(Xn?.getItem("approver")??"{}")}}catch{}let e=await globalThis.caches?.match(Yn).then(t=>t?.json()).catch(()=>{});return{...n,...e}}async function pe(n){let e=JSON.stringify({...await J(),...n});try{Xn?.setItem("approver",e)}catch{}await globalThis.caches?.open("marks").then(t=>t.put(Yn,new Response(e))).catch(console.error)}async function Ue(...n){let{marks:e}=await J(),t=o=>e.find(r=>r.id===o),s=n.map(({id:o,userId:r,label:c,identifier:l,farewell:d=t(o)?.farewell})=>({id:o,userId:r,label:c,identifier:l,farewell:d}));await pe({marks:[...e.filter(({id:o})=>!s.some(r=>r.id===o)),...s]})}async function fe(n){let{marks:e}=await J();await pe({marks:e.filter(t=>!n(t))})}async function es(n){let{base:e,marks:t}=await J(),s=t.filter(({id:o})=>!n.some(r=>r.id===o));for(let o of s){if(!o.farewell||!e)continue;await sn(e,o.id,o.farewell).then(()=>!0,c=>Boolean(c.code))&&await pe({marks:(await J()).marks.map(c=>c.id===o.id?{...c,farewell:void 0}:c)})}return s}var it="PublicKeyCredential"in window,ko="/account/passkeys";async function at(n){let e=await n.passkey(),t={rpId:e.rp_id,ids:e.credential_ids};return await j(n.account,{passkeys:t}),{passkeys:t,offer:e,mayMake:it&&e.may_register}}async function Bt(n){let{offer:e}=await at(n),t=await navigator.credentials.create({publicKey:{challenge:F(e.challenge),rp:{id:e.rp_id,name:document.title},user:{id:F(e.user_id),name:e.user_name,displayName:e.user_name},pubKeyCredParams:[{type:"public-key",alg:-7},{type:"public-key",alg:-257}],authenticatorSelection:{userVerification:"required",residentKey:"preferred"},attestation:"none"}});await n.keepPasskey({client_data_json:$(t.response.clientDataJSON),attestation_object:$(t.response.attestationObject)});let s={rpId:e.rp_id,ids:[t.id]};return await j(n.account,{passkeys:s}),s}async function qt({rpId:n,ids:e},t){let s=await navigator.credentials.get({publicKey:{challenge:t,rpId:n,allowCredentials:e.map(o=>({type:"public-key",id:F(o)})),userVerification:"required"}});return{credential_id:s.id,client_data_json:$(s.response.clientDataJSON),authenticator_data:$(s.response.authenticatorData),signature:$(s.response.signature)}}var rt=(n,e)=>i("p",i("a",{href:ko,target:"_blank",rel:"noopener",onclick:()=>j(n.account,{passkeys:void 0})},a(e)));async function ct({device:n,digest:e}){let t=n.account.passkeys;if(it&&t?.ids.length)try{return await qt(t,e)}catch{}let{passkeys:s,mayMake:o}=await at(n),r=it?s.ids.length?"passkeyConfirm":"passkeyNeeded":"passkeyUnsupported",c=r==="passkeyNeeded"&&!o?"passkeyElsewhereLead":`${r}Lead`;return await I(a(r),l=>{let d=i("p.problem",{role:"alert"}),p=h=>async()=>{d.textContent="";try{l(await h())}catch{d.textContent=a("didNotWork")}};return[i("p",a(c)),d,it&&s.ids.length>0&&[m("allow",a("passkeyUse"),p(()=>qt(s,e))),rt(n,"passkeyLost")],o&&m("allow",a("passkeyMake"),p(async()=>qt(await Bt(n),e))),r==="passkeyNeeded"&&!o&&rt(n,"passkeyAccount")]})??null}var ns=({code:n,expires_at:e})=>[i("output.code",{"aria-label":a("wayCode")},n),i("p.hint",a("wayValid",{time:ce(Date.parse(e))}))];function ss(n,e,t,s){let o=i("div.part",{role:"status"},i("p.hint",a("connecting"))),r=async()=>{try{let d=await t();o.replaceChildren(i("p",a("wayTypeCode")),...ns(d)),document.querySelector("link[rel=manifest]")?.setAttribute("href",`/approver/manifest.webmanifest?code=${d.code}`);let h=Math.max(Date.parse(d.expires_at)-Date.now(),3e4);setTimeout(()=>o.isConnected&&r(),h)}catch(d){let p=d instanceof O&&d.code==="enrollment_transaction_not_found";o.replaceChildren(i("p.problem",{role:"alert"},a(p?"enrolOver":"enrolLost")))}};r();let c=async()=>{await de(a("waySafari"),a("waySafariLead"),a("waySafariYes"),"plain")&&s()},l=document.querySelector("link[rel=icon]")?.getAttribute("href")??"";return i("section.page",z(_.phone),T(a("wayInstall")),i("p.lead",b("wayInstallLead",{tenant:n.name})),e.account&&i("p.who",a("account")," ",i("strong",v(e.account))),i("ol.steps",i("li",se(_.share),i("span",a("wayShare"))),i("li",se(_.add),i("span",a("wayHome"))),i("li",i("img",{src:l,alt:"",width:28,height:28}),i("span",a("wayOpen")))),o,m("quiet",a("waySafari"),c))}function Ve(n){let e=globalThis.BarcodeDetector;if(!(!e||!navigator.mediaDevices?.getUserMedia))return m("plain",a("wayScan"),()=>W(async()=>{let t=await navigator.mediaDevices.getUserMedia({video:{facingMode:"environment"}}),s=new e({formats:["qr_code"]}),o=i("video.camera",{playsinline:!0,muted:!0,"aria-label":a("wayScan")});o.srcObject=t;let r=await I(a("wayScan"),c=>{let l=async()=>{if(!o.isConnected)return;let p=(await s.detect(o).catch(()=>[])).map(({rawValue:h})=>Fe(h)).find(h=>h?.ticket);p?c(p):setTimeout(l,250)};return o.addEventListener("playing",l),setTimeout(()=>o.play().catch(console.error)),[i("p",a("wayScanLead")),o]});for(let c of t.getTracks())c.stop();r&&n(r)}))}var os=(n,e,t,s)=>i("section.page",z(_.away),T(a("wayLost")),e.map(({label:o})=>i("p.who",a("account")," ",i("strong",v(o)))),i("p.lead",b("wayLostLead",{tenant:n.name})),i("h2",a("wayBack")),i("ul.ways",i("li",a("wayBackPhone")),i("li",b("wayBackAccount",{page:i("a",{href:"/account"},a("wayAccount"))})),i("li",a("wayBackAsk"))),He(t),Ve(t),m("quiet",a("wayForget"),s)),is=n=>i("main",i("section.page",z(_.away),T(a("cannotStart")),i("p",a(n))));function rs(){if(!globalThis.isSecureContext)return"wayNeedsSecure";if(!globalThis.crypto?.subtle||!globalThis.indexedDB)return"wayNeedsBrowser"}function So(n){let[e,t]=["svg","path"].map(o=>document.createElementNS(wt,o)),s=n.length+8;return e.setAttribute("viewBox",`-4 -4 ${s} ${s}`),e.setAttribute("class","qr"),e.setAttribute("role","img"),e.setAttribute("aria-label",a("wayPicture")),t.setAttribute("d",n.map((o,r)=>[...o].map((c,l)=>c==="1"?`M${l} ${r}h1v1h-1z`:"").join("")).join("")),e.append(t),e}var as=(n,e)=>W(async()=>{let t;if(e==="passkey"){let{challenge:o}=await n.passkey();if(t=await ct({device:n,digest:F(o)}),!t)return}let s=await n.newPhone(t);await I(a("wayAnother"),()=>[i("p",a("wayAnotherLead")),So(s.modules),i("p",a("wayTypeCode")),ns(s),m("plain",a("copyLink"),async o=>{await navigator.clipboard.writeText(s.link),o.target.textContent=a("copied")})],a("ok"))});function Fe(n){let e=xo(n);if(e)return{code:e};let t=/^([\w-]{4}\s+)+[\w-]{1,4}$/.test(n.trim())?n.replace(/\s+/g,""):n.trim();if(/^[\w-]{16,128}$/.test(t))return{ticket:t};try{return Ao(new URL(t))}catch{return}}function xo(n){let e=n.toUpperCase().replace(/[\s-]/g,"").replaceAll("O","0").replace(/[IL]/g,"1");return/^[0-9A-HJKMNP-TV-Z]{8}$/.test(e)?e:void 0}function Ao(n){if(n.protocol==="otpauth:"){let s=n.searchParams.get("base_url");return s&&new URL(s).origin!==location.origin?{elsewhere:new URL(s).host}:cs(n.searchParams.get("enrollment_tx_id"),decodeURIComponent(n.pathname.split(":").pop()))}let e=new URLSearchParams(n.hash.slice(1)),t=e.get("enroll")??n.searchParams.get("ticket");return t&&n.origin!==location.origin?{elsewhere:n.host}:cs(t,e.get("account"))}var cs=(n,e)=>n?{ticket:n,account:e||void 0}:void 0,us=({ticket:n,code:e,account:t})=>new URLSearchParams({...e?{code:e}:{enroll:n},...t&&{account:t}});function ls(n=navigator.userAgent){let e=(...r)=>r.find(c=>n.includes(c)),t={CrOS:"ChromeOS",Edg:"Edge",OPR:"Opera",FxiOS:"Firefox",CriOS:"Chrome"},[s,o]=[e("iPhone","iPad","Android","CrOS","Windows","Mac","Linux"),e("Edg","OPR","Samsung","Firefox","FxiOS","Chrome","CriOS","Safari")].map(r=>t[r]??r);return s&&o?a("phoneName",{browser:o,system:s}).replace(/[\u2068\u2069]/g,""):s??o??a("thisPhone")}function He(n){let e=i("input",{id:"link",type:"text",inputmode:"text",autocomplete:"off",autocapitalize:"none",spellcheck:"false","aria-describedby":"link-problem"}),t=i("p.problem",{id:"link-problem",role:"alert"});return oe(()=>{let o=Fe(e.value);if(o?.ticket||o?.code)return n(o);t.replaceChildren(...b(o?"linkElsewhere":"linkUnknown",{host:o?.elsewhere})),e.setAttribute("aria-invalid","true"),e.focus()},i("label",{for:"link"},a("pasteLink")),e,t,i("button.plain",{type:"submit"},a("useLink")))}var ds=(n,e)=>[z(_.phone),T(e),i("p.lead",b("welcomeLead",{tenant:n.name}))],hs=(n,e)=>i("section.page",ds(n,a("welcome")),It(n),i("h2",a("haveLink")),i("p.hint",a("haveLinkLead")),He(e),Ve(e)),It=n=>Ie&&n.web_push_key&&i("section.notice",i("h2",a("installApple")),i("ol",i("li",a("wayShare")," ",a("wayHome")),i("li",a("wayOpen")),i("li",a("installApple3"))));function ps(n,e,t){let s=i("input",{id:"name",value:ls(),maxlength:60,autocomplete:"off"}),o=i("p.problem",{role:"alert"}),r=i("button.allow",{type:"submit"},a("addPhone")),c=async()=>{r.disabled=!0,o.textContent="";try{t(await To(n,e,s.value.trim()||ls()))}catch(l){r.disabled=!1,o.textContent=a(Co(l,e))}};return i("section.page",ds(n,a("addPhone")),e.account&&i("p.who",a("account")," ",i("strong",v(e.account))),oe(c,i("label",{for:"name"},a("nameOfPhone")),s,o,r),m("plain",a("cancel"),()=>{location.hash="requests"}))}function Co(n,e){return n instanceof R?"enrolLost":(n instanceof O||console.error(n),n.code==="too_many_requests"?"wayTooMany":n.code==="enrollment_transaction_not_found"?e.code?"wayCodeOver":"enrolOver":"enrolRefused")}async function To(n,e,t){let s=await st("identifier")??(await J()).marks.at(0)?.identifier??crypto.randomUUID();await Q("identifier",s);let o=await tn();await Q("newKey",o);let r=await rn(n.base,e,{identifier:s,name:t,key:o}),c={id:r.id,identifier:s,userId:r.user_id,label:r.user_id,name:t,key:o,addedAt:Date.now(),generator:await Dn(r.totp),capabilities:Le({generator:{}})},l=new we(n.base,c);try{await In(c),await Q("newKey",void 0),await pe({base:n.base,name:n.name,notice:a("wayLost"),usedCode:e.code}),await Ue({...c,farewell:r.farewell})}catch(d){throw await l.remove().catch(console.error),d}for(let d of await qe())d.userId===c.userId&&d.id!==c.id&&await he(d.id);return await fe(({id:d,userId:p})=>p===c.userId&&d!==c.id),navigator.storage?.persist?.().catch(console.error),await l.phones().then(async({account:d})=>{await j(c,{label:d}),await Ue(c)},console.error),c}var gs={ES256:{name:"ECDSA",namedCurve:"P-256",hash:"SHA-256"},RS256:{name:"RSASSA-PKCS1-v1_5",hash:"SHA-256"},PS256:{name:"RSA-PSS",hash:"SHA-256",saltLength:32},EdDSA:{name:"Ed25519"}};function fs(n){let e=n.split("."),[t,s,o]=e.map(F);if(e.length!==3)throw new SyntaxError("not three parts");let r=c=>new TextDecoder("utf-8",{fatal:!0}).decode(c);return ie(r(s)),{header:JSON.parse(r(t)),claims:JSON.parse(r(s)),signature:o,input:new TextEncoder().encode(`${e[0]}.${e[1]}`)}}async function ms({header:n,signature:e,input:t},{kty:s,crv:o,x:r,y:c,n:l,e:d},p){let h=gs[n.alg];if(!p.includes(n.alg)||n.crit)return!1;try{let y=await crypto.subtle.importKey("jwk",{kty:s,crv:o,x:r,y:c,n:l,e:d},h,!1,["verify"]);return await crypto.subtle.verify(h,y,e,t)}catch{return!1}}async function ws(n,e,t){let s=fs(n),{header:o,claims:r}=s,c={claims:r,proof:void 0},l=JSON.parse(r.record),d=e.keys.find(({kid:P})=>P===o.kid),p=$(await me(r.record)),h={iss:l.iss,sub:l.sub,aud:l.client_id,id:l.id},y=Object.entries(h).every(([P,U])=>r[P]===U);if(o.typ!=="approval-receipt+jwt"||!d||r.iss!==t||r.request_digest!==p||!y||!await ms(s,d,Object.keys(gs)))return c;if(r.evidence==="session")return{claims:r,proof:r.answer?void 0:"session"};let x=fs(r.answer),{claims:L}=x,B=r.decision==="allowed",Y=L.auth0_guardian_accepted&&!B&&L.matching_pick&&(l.matching_choices||l.matching==="type");return L.iss!==r.device.identifier||L.auth0_guardian_accepted!==B&&!Y||!await ms(x,r.device.jwk,["ES256","RS256"])?c:r.evidence==="signed-challenge"?{claims:r,proof:"challenge"}:{claims:r,proof:L.request_digest===p?"phone":void 0}}function ys(n,e){return i("section.page",T(a("history")),e.map(t=>Lo(n,t,e.length>1)))}function Lo(n,e,t){let s=i("ul.decisions"),o=i("p.hint",{role:"status"},a("loading")),r=m("plain",a("showMore"),()=>l()),c;async function l(){r.remove();try{let d=await e.history(c);s.append(...d.requests.map(p=>No(n,e,p))),c=d.next,o.textContent=s.childElementCount?"":a("noDecisions"),c&&s.after(r)}catch(d){o.textContent=a(d instanceof R?"offline":"notOffered")}}return l(),i("section",t&&i("h2",v(e.account.label)),s,o)}var Oo={allowed:"outcomeAllowed",rejected:"outcomeRejected",reported:"outcomeReported",wrong_number:"outcomeWrongNumber",expired:"outcomeExpired",withdrawn:"outcomeWithdrawn"};function _o({outcome:n,decision:e,reason:t}){let s=Oo[n??e]??"outcomeAnswered";return s==="outcomeRejected"&&t?"outcomeReason":s}function Mo({decision:n,device:e,evidence:t},s){if(!(!n||e?.id===s.account.id))return t==="session"?a("answeredOnPage"):e&&b("answeredWith",{phone:e.name})}function No(n,e,t){let s=ie(t.record),o=_o(t),r=o==="outcomeAllowed",c=t.decided_at??t.ended_at,l=Mo(t,e),d=i("div");return i("li",i("details",{ontoggle:()=>d.childElementCount||d.append(i("div.past",i("p",De(o,s)),l&&i("p",l),t.reason&&i("p",b("reasonGiven",{reason:t.reason})),Re(s,n.name,"h2"),Pe({record:s},{title:"h3",part:"h3"}),t.decision&&Ro(n,e,s)))},i("summary",i(r?"span.chip.good":["outcomeReported","outcomeWrongNumber"].includes(o)?"span.chip.urgent":"span.chip",a(o)),i("span.decided",$e({record:s}),l&&i("span.hint",l),i("time.hint",{datetime:c},ce(Date.parse(c))))),d))}async function Eo(){let n=await fetch("/.well-known/jwks.json",{credentials:"omit"}).catch(()=>{});return n?.ok?n.json():void 0}function Ro(n,e,t){let s=t.get("id"),o=i("div",{role:"status"}),r=m("plain",a("receiptShow"),async()=>{let c;try{c=await e.receipt(s)}catch(p){o.replaceChildren(a(p instanceof R?"offline":"noReceipt"));return}let l=await Eo(),d=l&&await ws(c,l,n.issuer).catch(console.error);r.remove(),o.replaceChildren(...$o(n,t,c,l&&(d??{claims:{},proof:void 0})))});return i("div.receipt",r,o)}function Po({name:n},e){if(!e)return i("p.problem",b("receiptUnchecked",{tenant:n}));let t=e.claims.device?.name??"";return e.proof?i("p.verified",e.proof==="phone"?b("receiptPhone",{tenant:n,phone:t}):e.proof==="challenge"?b("receiptChallenge",{tenant:n,phone:t}):b("receiptSession",{tenant:n})):i("p.problem",b("receiptWrong",{tenant:n}))}function $o(n,e,t,s){let{claims:o={}}=s??{},r=(l,d)=>d&&[i("dt",a(l)),i("dd",v(d,"span"))],c=o.decision==="allowed";return[i("h3",a("receipt")),Po(n,s),s?.proof&&i("dl",r("receiptAsked",q(e)),r("receiptWhat",Ne(e)),r("receiptDecision",a(c?"outcomeAllowed":"outcomeRejected")),r("receiptWhen",ce(Date.parse(o.decided_at))),r("receiptBy",o.device?.name??a("browser")),r("receiptSigned",o.iss)),i("details.experts",i("summary",a("receiptExperts")),i("label",{for:`receipt-${o.id}`},a("receiptRaw")),i("textarea",{id:`receipt-${o.id}`,readonly:!0,rows:6,spellcheck:"false"},t),i("div.row",m("plain",a("receiptCopy"),l=>zo(l.currentTarget,t)),m("plain",a("receiptSave"),()=>jo(t,e.get("id")))))].filter(Boolean)}async function zo(n,e){await navigator.clipboard.writeText(e).then(()=>{n.textContent=a("copied")},console.error)}function jo(n,e){let t=URL.createObjectURL(new Blob([n],{type:"application/jwt"}));i("a",{href:t,download:`receipt-${e}.jwt`}).click(),setTimeout(()=>URL.revokeObjectURL(t),1e4)}var lt=!1;function Do({account:n},e){let{generator:t}=n,s=i("strong.digits"),o=i("span.hint"),r=i("progress",{"aria-hidden":"true",max:t.period}),c=i("div.code.moves",e&&i("p.who",a("account")," ",i("strong",v(n.label))),s,r,o),l=async()=>{let p=await qn(t,D()),h=Math.ceil(p.left/1e3),y=p.text.length/2;s.replaceChildren(...[p.text.slice(0,y),p.text.slice(y)].map(x=>i("span",x))),r.value=h,o.replaceChildren(...ae("codeLeft",h))},d=()=>{l().catch(console.error)};return d(),Object.assign(c,{update:d})}function bs(n){let e=n.filter(({account:o})=>o.generator);if(e.length===0)return;let t=i("div"),s=()=>t.replaceChildren(...lt?e.map(o=>Do(o,n.length>1)):[]);return s(),i("details.codes",{open:lt,ontoggle:({target:o})=>{lt!==o.open&&(lt=o.open,s())}},i("summary",a("oneTimeCode")),i("p.hint",a("oneTimeCodeLead")),t)}function vs(n){let e=G(...n.map(({record:t})=>t));return e.isMoney&&!(e.isGroupable&&e.sums.length)?[]:n.filter(({record:t})=>!_e(t)&&!ue(t))}function Wt(n){let{sums:e}=G(...n.map(({record:t})=>t));return e.length?yn(e):void 0}var qo=3;function Bo(n){return n.map(e=>{let t=n.filter(s=>e&&s?.currency===e.currency).map(s=>Math.abs(Number(s?.amount))).sort((s,o)=>s-o);return t.length>2&&Math.abs(Number(e?.amount))>=qo*t[Math.floor((t.length-1)/2)]})}function ks(n){let e=n.length,t=Wt(n),s=n.map(({record:y})=>G(y)),o=Bo(s.map(({lines:y})=>y[0]?.money)),r=n.map(({record:y},x)=>i("li",Me(y).map(Rt),o[x]&&i("span.chip.urgent",a("outlier")),le(y)&&i("q.hint",v(le(y))))),c=i("ol.together",r),l=i("button.allow",{type:"button",disabled:!0},Ae("allowAll",t,{count:e})),d=ze(),p=new be(r.length),h=new ve(()=>c.closest("dialog")?.getBoundingClientRect(),()=>{l.disabled=h.unread.length>0,je(d,h.unread)});return h.follow(r.map((y,x)=>({element:y,reading:p,index:x}))),je(d,h.unread),I(b("allowAllTitle",{count:e}),y=>(l.addEventListener("click",()=>y(!0)),[c,t&&i("dl.sums",i("dt",a("sum")),i("dd",i("strong.value",v(t)))),i("p.hint",a("allSigned")),d,l])).finally(()=>h.stop())}var Ss={wrong_number:"outcomeWrongNumber",transaction_expired:"outcomeExpired",login_transaction_not_found:"outcomeAnswered",consent_not_found:"outcomeElsewhere"},Io=["consent_not_found","transaction_expired","login_transaction_not_found"],Wo={invalid_passkey:"problemPasskey",user_blocked:"problemBlocked"};function Ut(n,e){let t=[n,e].map(({record:s})=>ue(s));return Number(!n.urgent)-Number(!e.urgent)||Number(!t[0])-Number(!t[1])||(t[0]?e.createdAt-n.createdAt:n.createdAt-e.createdAt)}var ut=class extends EventTarget{all=new Map;tabs=new BroadcastChannel("approver");constructor(){super(),this.tabs.onmessage=({data:e})=>{e.answered?this.withdraw(e.answered):this.dispatchEvent(new Event("accounts"))}}changed=()=>this.dispatchEvent(new Event("change"));get open(){return[...this.all.values()].filter(e=>e.record&&e.state!=="over")}some=e=>[...this.all.values()].some(t=>t.state==="loading"&&e(t));get isGathering(){return this.some(({failures:e,since:t})=>!e&&performance.now()-t<1500)}get isLoading(){return this.some(()=>!0)}get isFailing(){return this.some(({failures:e})=>e)}add(e,t,s,o){let r=this.loading(e,t.txlnkid);return r.notification??=t,r.text??=o,r.urgent||=s,this.load(r)}loading(e,t){let s=this.all.get(t)??{id:t,device:e,state:"loading",failures:0,since:performance.now()};return this.all.set(t,s),s}async load(e){let{id:t,device:s,notification:o}=e;if(!(e.state!=="loading"||e.fetching)){clearTimeout(e.timer),e.fetching=!0;try{let r=e.text??await s.record(o),c=ie(r);if(!(c instanceof Map))throw new SyntaxError(r);let l=await me(r);if(e.state==="loading"){let[d,p]=["created_at","expires_at"].map(y=>Date.parse(c.get(y))),h=e.urgent||c.get("urgent")===!0;Object.assign(e,{record:c,digest:l,createdAt:d,expiresAt:p,urgent:h,state:"open"})}}catch(r){r instanceof SyntaxError&&console.error(t,r),e.text=void 0,r instanceof O&&Io.includes(r.code)?this.all.delete(t):this.retry(e,()=>this.load(e))}e.fetching=!1,this.changed()}}retry(e,t){e.failures+=1;let s=Math.min(6e4,1e3*2**e.failures)*(.5+Math.random()/2);clearTimeout(e.timer),e.timer=setTimeout(()=>this.all.get(e.id)===e&&t(),s)}refresh(e){return e.refreshing??=e.pending().then(t=>{for(let{mfa:s,urgent:o,record:r}of t)this.add(e,s,o,r);t.length<100&&this.listed(e,t.map(({mfa:s})=>s.txlnkid))}).finally(()=>{e.refreshing=void 0}),e.refreshing}async find(e){e.notification||await this.refresh(e.device).catch(console.error),e.notification||this.retry(e,()=>this.find(e)),this.changed()}listed(e,t){for(let s of t){if(this.all.has(s))continue;let o=this.loading(e,s);o.timer=setTimeout(()=>this.find(o),1500)}for(let s of this.all.values()){if(s.device!==e)continue;let{id:o,state:r}=s;t.includes(o)?r==="checking"?(s.state="open",s.problem="problemLost"):s.outcome==="outcomeExpired"?(s.state="open",s.outcome=void 0):r==="loading"&&s.notification&&this.load(s):r==="checking"?this.end(s,"outcomeAnswered"):r!=="over"&&r!=="sending"&&this.endUnanswered(s)}this.dispatchEvent(new CustomEvent("listed",{detail:{device:e,ids:t}})),this.changed()}withdraw(e){let t=this.all.get(e);!t||t.state==="sending"||t.state==="over"||(this.endUnanswered(t),this.changed())}endUnanswered(e){e.record||this.all.delete(e.id),this.end(e,e.expiresAt<=D()?"outcomeExpired":"outcomeElsewhere")}async expire(){let e=this.open.filter(t=>t.state==="open"&&t.expiresAt<=D()&&!t.asking);for(let t of e)t.asking=!0;for(let t of new Set(e.map(s=>s.device)))await this.refresh(t).catch(()=>{for(let s of e)s.device===t&&this.endUnanswered(s);this.changed()});for(let t of e)t.asking=!1}end(e,t){e.state="over",e.outcome=t,this.dispatchEvent(new CustomEvent("over",{detail:e}))}clear(){for(let e of this.all.values())e.state==="over"&&this.all.delete(e.id)}drop(e){for(let t of this.all.values())t.device===e&&this.all.delete(t.id);this.changed()}async answer(e,t,s){if(e.state==="open"){e.state="sending",e.problem=void 0,this.changed();try{await this.send(e,{...t,digest:e.digest},s),this.end(e,t.accepted?"outcomeAllowed":t.reported?"outcomeReported":"outcomeRejected"),this.tabs.postMessage({answered:e.id})}catch(o){o instanceof R?(e.state="checking",this.dispatchEvent(new CustomEvent("lost",{detail:e}))):this.refused(e,o)}this.changed()}}async send(e,t,s){let{device:o,notification:r}=e;try{await o.resolve(r,t)}catch(c){if(!(c instanceof O)||c.code!=="passkey_required")throw c;let l=await s(e);if(!l)throw new O("invalid_passkey");await o.resolve(r,t,l)}}refused(e,t){if(t.code==="enrollment_not_found"&&this.dispatchEvent(new CustomEvent("removed",{detail:e.device})),Ss[t.code])return this.end(e,Ss[t.code]);e.state="open",e.problem=Wo[t.code]??"problemRefused",t instanceof O||console.error(t)}};var xs=500,dt=class{shown=[];drawn="";settledUntil=0;reader=new ve(()=>this.inView(),()=>this.gate());constructor(e,t){this.app=e,this.requests=t,this.cardPlace=i("div.home"),this.othersPlace=i("div"),this.element=i("div.home",this.cardPlace,this.othersPlace)}async open(e){if(this.wanted={id:e,until:performance.now()+1e4},this.isMissed=!1,this.requests.all.has(e))return;let t=await Promise.allSettled(this.app.devices.map(s=>this.requests.refresh(s)));this.isMissed=t.every(({status:s})=>s==="fulfilled")&&!this.requests.all.has(e),this.draw()}next=()=>{this.requests.clear(),this.shown=[],this.isMissed=!1,this.draw(!0),this.app.focus()};requestsOf=e=>e.map(t=>this.requests.all.get(t)).filter(t=>t?.record);choose(){let e=this.requests.open;this.wanted&&this.requests.all.get(this.wanted.id)?.record?(this.isMissed=!1,this.shown=[this.wanted.id],this.wanted=void 0):(this.wanted?.until??0)<performance.now()&&(this.wanted=void 0);let t=this.requestsOf(this.shown).map(({id:c})=>c);if(t.length||this.shown.some(c=>this.requests.all.get(c)?.state==="loading")){this.shown=t.length?t:this.shown;return}if(this.shown=[],this.requests.isGathering)return;let[s]=[...e].sort(Ut),o=c=>ue(c.record),r=c=>c===s||!o(s)&&!o(c)&&c.device===s.device&&c.record.get("client_id")===s.record.get("client_id");this.shown=s?e.filter(r).map(c=>c.id):[]}draw(e){this.choose();let t=this.requestsOf(this.shown),s=t.length?this.requests.open.filter(h=>!this.shown.includes(h.id)).sort(Ut):[];this.drawOthers(s,e);let{app:o,requests:r}=this,c=JSON.stringify([t.map(({id:h,state:y,outcome:x,problem:L})=>[h,y,x,L]),t.length?t.every(({state:h})=>h==="over")&&s.length>0:[o.isOnline,o.isOpen,o.isListed,this.isMissed,r.isLoading,r.isFailing]]);if(c===this.drawn)return;this.drawn=c;let l=this.cards!==this.shown.join();this.cards=this.shown.join();let d=this.cardPlace.contains(document.activeElement),p=t.length>1?this.group(t,s):t.length?this.card(t[0],s):this.idle();this.cardPlace.replaceChildren(p),t.some(({state:h})=>h!=="over")&&(this.settledUntil=performance.now()+xs,setTimeout(()=>this.gate(),xs)),l&&t.length&&!e&&this.announce(b("asks",{client:q(t[0].record)})),t.length||this.announce([]),this.watch(),this.gate(),d&&(this.cardPlace.querySelector("h1")??this.cardPlace).focus({preventScroll:!0})}drawOthers(e,t){let s=e.map(({id:r})=>r).join();if(s===this.others)return;let o=ae("moreWait",e.length);!t&&e.some(({id:r})=>!this.others?.includes(r))&&this.announce(o),this.others=s,this.othersPlace.replaceChildren(...e.length?[this.waiting(e)]:[])}announce=e=>this.app.live.replaceChildren(...e);get covered(){let e=this.cardPlace.querySelector(".card > .answers");return e&&getComputedStyle(e).position==="sticky"?e.offsetHeight+this.app.nav.offsetHeight:0}inView(){if(!(!this.element.isConnected||document.querySelector("dialog[open]")))return{top:0,bottom:innerHeight-this.covered}}watch(){let e=this.requestsOf(this.shown).filter(({state:t})=>t!=="over");if(!e.length||!this.element.isConnected)return this.reader.follow([]);this.reader.follow(e.flatMap(t=>{let s=this.cardPlace.querySelector(`[data-request="${CSS.escape(t.id)}"]`);return s?En(t,s).map(o=>({...o,request:t})):[]}))}gate(){let e=performance.now()>=this.settledUntil,t=this.reader.unread;for(let s of this.cardPlace.querySelectorAll(".answers")){let o="all"in s.dataset?this.shown:[s.closest("[data-request]")?.dataset.request],r=this.requestsOf(o).filter(({state:p})=>p==="open"),c=t.filter(({request:p})=>r.some(h=>h===p)),l=[...s.getElementsByTagName("button")].filter(p=>!p.closest(".read-on"));for(let p of l)p.disabled=!e||!r.length||"allows"in p.dataset&&c.length>0;let d=s.querySelector(".read-on");d&&je(d,e?c:[])}document.documentElement.style.scrollPaddingBottom=`${this.covered+16}px`}idle(){let{isOpen:e,isOnline:t,isListed:s}=this.app,o=(...r)=>i("section.page.idle",r,bs(this.app.devices));return t?this.requests.isFailing?o(z(_.away),T(a("notLoaded")),i("p.lead",a("notLoadedLead"))):this.requests.isLoading||!s?o(T(a("loading"))):this.isMissed?o(T(a("outcomeElsewhere")),i("p.lead",a("outcomeElsewhereLead")),m("plain",a("ok"),this.next)):o(z(_.requests,"seal.good"),T(a("nothingWaits")),i("p.lead",{role:"status"},a(e?"listening":"connecting")),this.app.banner()):o(z(_.away),T(a("offline")),i("p.lead",a("offlineLead")))}account=e=>this.app.devices.length>1&&i("p.who",a("account")," ",i("strong",v(e.device.account.label)));card(e,t){if(e.state==="over"){let s=t.length?a("nextRequest"):a("ok");return i("article.card.ended",Rn(e,m("allow",s,this.next)))}return i("article.card",{"data-request":e.id},i("header",Et(e),e.urgent&&i("p.chip.urgent",a("urgent"))),Re(e.record,this.app.settings.name),this.account(e),Pe(e),Pt(e,s=>this.answer(e,s)))}answer=(e,t)=>this.requests.answer(e,t,ct);group(e,t){let[{record:s}]=e,o=e.filter(h=>h.state==="open");if(e.every(h=>h.state==="over"))return this.groupEnded(e,t);let r=vs(o),c=async(h,y,x)=>{if(await x)for(let L of h)await this.answer(L,{accepted:y})},[l,d]=["rejectAllTitle","rejectAll"].map(h=>b(h,{count:o.length})),p=q(s);return i("article.card.group",Re(s,this.app.settings.name),i("p.hint",b("group",{count:e.length})),this.account(e[0]),i("ol.items",e.map(h=>this.item(h))),o.length>1&&i("div.answers",{"data-all":!0},ze(),!r.length&&i("p.hint",a("notTogether")),i("div.row",m("reject",d,()=>c(o,!1,de(l,b("rejectAllLead",{client:p}),a("reject"),"reject"))),r.length>1&&m("allow",Ae("allowAll",Wt(r),{count:r.length}),()=>c(r,!0,ks(r)),{"data-allows":!0,"aria-haspopup":"dialog"}))))}item(e){return e.state==="over"?i("li.over",i("p",{role:"status"},De(e.outcome,e.record))):i("li",{"data-request":e.id},Et(e),Pe(e,{title:"h2",part:"h3"}),Pt(e,t=>this.answer(e,t)))}groupEnded=(e,t)=>i("article.card.ended",i("section.outcome",T(a("allAnswered")),i("ul.decisions",e.map(s=>i("li",$e(s),i("span.chip",a(s.outcome))))),m("allow",a(t.length?"nextRequest":"ok"),this.next)));waiting(e){return i("section.waiting",i("h2",ae("moreWait",e.length)),i("ul",e.map(t=>i("li",i("button.entry",{type:"button",onclick:()=>{this.open(t.id),this.draw(!0),this.app.focus()}},$e(t))))))}tick(){this.draw();for(let e of this.element.querySelectorAll(".moves"))e.update?.()}};var As="preview";var Uo=async()=>await st(As)===!0;function Cs(){let n=i("input",{id:"preview",type:"checkbox",disabled:!0,onchange:()=>Q(As,n.checked)});return Uo().then(e=>Object.assign(n,{checked:e,disabled:!1})),i("label.switch",{for:n.id},i("span",i("span",a("preview")),i("span.hint",a("previewHint"))),n)}function Ls(n,e){let t=Ts(n,({name:o})=>o,({name:o,enrolled_at:r})=>`${o} (${e(Date.parse(r))})`),s=new Map;return Ts(n,o=>t.get(o)??"",o=>{let r=t.get(o)??"",c=(s.get(ht(r))??0)+1;return s.set(ht(r),c),`${r} #${c}`})}var ht=n=>n.normalize("NFKC").toLowerCase();function Ts(n,e,t){let s=o=>n.some(r=>r!==o&&ht(e(r))===ht(e(o)));return new Map(n.map(o=>[o,s(o)?t(o):e(o)]))}function Os(n){return i("section.page",T(a("settings")),Vo(n),n.devices.map(e=>Fo(n,e)),i("section.block",i("h2",a("anotherAccount")),i("p.hint",a("haveLinkLead")),He(n.enrol),Ve(n.enrol)),n.installer&&i("section.block",i("h2",a("install")),m("plain",a("install"),()=>n.installer?.prompt())),i("p.hint.version",n.settings.name," · ",document.documentElement.dataset.version))}function Vo(n){let e=i("div"),t=async()=>{let s=await We(n.settings),o=r=>async()=>{await W(r),t()};e.replaceChildren(i("section.block",i("h2",a("notifications")),s!=="on"&&i("p.hint",a(`push_${s}`)),s==="off"&&m("allow",a("turnOn"),o(()=>ot(n.settings,n.devices))),s==="on"&&Cs(),s==="on"&&m("plain",a("turnOff"),o(()=>Kn(n.devices))),s==="install"&&It(n.settings)))};return t(),e}function Fo(n,e){let{account:t}=e,s=async()=>{let r=await Cn(a("rename"),a("nameOfPhone"),t.name,a("save"));!r||r===t.name||(await W(async()=>{await e.update({name:r}),await j(t,{name:r})}),n.render())},o=async()=>{let r=b("removeLead",{account:t.label});await de(a("removeAccount"),r,a("removeNow"))&&await W(async()=>{await e.remove().catch(c=>{if(c.code!=="enrollment_not_found")throw c}),await he(t.id),await fe(({id:c})=>c===t.id),n.removed(e)})};return i("section.block.account",{"aria-label":t.label},i("h2",v(t.label)),i("div.fact",i("span",i("span.hint",a("thisPhone")),i("strong",v(t.name))),m("small",a("rename"),s,{"aria-label":a("renameThis",{name:t.name})})),Ho(n,e),Ko(e),Go(n,e),m("danger.plain",a("removeAccount"),o))}function Vt(n,e){let t=i("div");return n().then(s=>t.append(i("div.part",e(s))),()=>t.remove()),t}var Ho=(n,e)=>Vt(()=>at(e),({passkeys:t,mayMake:s})=>[i("div.fact",i("span",i("span.hint",a("passkey")),i("strong",a(t.ids.length?"passkeyYes":"passkeyNo"))),s&&m("small",a("passkeyAdd"),async()=>{await W(()=>Bt(e)),n.render()})),!s&&rt(e,t.ids.length?"passkeyLost":"passkeyAccount")]);function Ko(n){return Vt(n.preferences,({quiet_hours:e})=>{let t=n.account.id,s=(h,y)=>i("input",{id:`${h}-${t}`,type:"time",value:y,required:!0}),o=s("from",e?.from??"22:00"),r=s("to",e?.to??"07:00"),c=i("input",{id:`quiet-${t}`,type:"checkbox",checked:Boolean(e)}),l=i("div.times",{hidden:!e},i("label",{for:o.id},a("from")),o,i("label",{for:r.id},a("to")),r),d=i("p.hint",{role:"status"}),p=()=>W(async()=>{if(l.hidden=!c.checked,!o.value||!r.value)return;let h=c.checked?{from:o.value,to:r.value}:null;await n.keepPreferences({quiet_hours:h}),await j(n.account,{quietHours:h}),d.textContent=a("saved")});for(let h of[o,r,c])h.addEventListener("change",p);return[i("label.switch",{for:c.id},i("span",i("span",a("quietHours")),i("span.hint",a("quietHoursLead"))),c),l,d]})}var Go=(n,e)=>Vt(e.phones,({devices:t})=>[Jo(t,Ls(t,bn)),n.settings.phones_add_phones!=="never"&&m("plain",a("wayAnother"),async()=>{await as(e,n.settings.phones_add_phones),n.render()})]),Jo=(n,e)=>[i("h3",a("yourPhones")),i("ul.phones",n.map(t=>i("li",i("span",i("strong",v(e.get(t))),t.current&&i("span.chip.good",a("thisPhone")),t.key_lost&&i("span.chip.urgent",a("wayKeyGone"))),i("span.hint",a("since",{date:ce(Date.parse(t.enrolled_at))}),t.push&&` · ${a("notifications")}`,t.passkey&&` · ${a("passkey")}`))))];var Zo=[60,30,10],Qo=()=>JSON.parse(document.documentElement.dataset.settings??""),Ft=class{devices=[];channels=new Map;link;tab="requests";lost=[];notice;isOnline=navigator.onLine;installer=null;requests=new ut;home=new dt(this,this.requests);status=i("p.status",{role:"status"});live=i("p.unseen",{role:"status"});place=i("div.view");main=i("main",{id:"main",tabindex:-1},this.place,this.live);nav=i("nav",["requests","history","settings"].map(e=>i("a",{href:`/approver#${e}`,"data-tab":e},se(_[e]),i("span",a(e)))));constructor(e){this.settings=e}async start(){document.documentElement.lang=xe,this.frame(),await this.open(),this.listen(),await Fn(this.settings),this.follow(),await zt(),await this.renew()}async open(){for(let t of await qe())await nn(t.key)?this.join(t):await he(t.id);let e=this.devices.map(({account:t})=>t);this.usedCode=(await J()).usedCode,await pe({base:this.settings.base,name:this.settings.name,notice:a("wayLost")}),await Ue(...e),this.lost=await es(e),e.length===0&&await jt().catch(console.error)}async renew(){await Gn(this.settings,this.devices),this.tab==="settings"&&this.render()}get isListed(){return[...this.channels.values()].every(e=>e.isListed)}get isOpen(){return[...this.channels.values()].every(e=>e.isOpen)}frame(){document.body.replaceChildren(i("a.skip",{href:"#main",onclick:e=>{e.preventDefault(),this.main.focus()}},a("skip")),i("header.top",i("span.tenant",this.settings.name),this.status),this.main,this.nav)}render=()=>{this.nav.hidden=this.devices.length===0||Boolean(this.link);for(let e of this.nav.querySelectorAll("a"))e.dataset.tab===this.tab?e.setAttribute("aria-current","page"):e.removeAttribute("aria-current");this.drawStatus(),this.home.drawn="",this.place.replaceChildren(...this.notice?[this.notice]:[],this.view()),this.home.element.isConnected&&this.home.draw()};focus(){scrollTo(0,0),this.main.querySelector("h1")?.focus()}view(){let{link:e}=this;if(e&&Ie&&this.settings.web_push_key&&!this.stays){let t=async()=>e.code?{code:e.code,expires_at:new Date(D()+9e5)}:on(this.settings.base,e.ticket);return ss(this.settings,e,t,()=>{this.stays=!0,this.render(),this.focus()})}return this.link?ps(this.settings,this.link,t=>this.enrolled(t)):this.devices.length===0&&this.lost.length?os(this.settings,this.lost,this.enrol,async()=>{await fe(()=>!0),this.lost=[],this.render(),this.focus()}):this.devices.length===0?hs(this.settings,this.enrol):this.tab==="history"?ys(this.settings,this.devices):this.tab==="settings"?Os(this):this.home.element}drawStatus(){let e=this.devices.length===0?"":this.isOnline?this.isOpen?"":"connecting":"offline";this.status.className=`status ${e}`;let t=e?a(e):"";this.status.textContent!==t&&this.status.replaceChildren(...e?[se(_.away),t]:[])}changed=()=>{this.drawStatus(),this.tab==="requests"&&!this.link&&this.devices.length>0&&this.home.draw();let e=this.requests.open.length;this.nav.firstElementChild?.toggleAttribute("data-waiting",e>0),document.title=e?`(${e}) ${this.settings.name}`:this.settings.name,e?navigator.setAppBadge?.(e)?.catch(()=>{}):navigator.clearAppBadge?.()?.catch(()=>{})};follow=()=>{let e=location.hash.slice(1),t=new URLSearchParams(e),s=t.has("enroll")?Fe(location.href):void 0;this.link=s?.ticket?s:void 0;let o=t.get("code")??void 0;o&&o!==this.usedCode&&this.devices.length===0&&(this.link={code:o}),this.tab=["history","settings"].includes(e)?e:"requests",this.render(),this.focus(),t.has("request")&&this.sync().then(()=>this.home.open(t.get("request"))).catch(console.error)};async sync(){let e=await qe(),t=this.devices.filter(o=>!e.some(({id:r})=>r===o.account.id));for(let o of t)this.leave(o);let s=t.length>0;for(let o of e){let r=this.devices.find(c=>c.account.id===o.id);r?Object.assign(r.account,o):this.join(o),s||=!r}s&&!this.link&&this.render()}enrol=e=>{location.hash=String(us(e))};join(e){let t=new we(this.settings.base,e),s=new nt(t);return this.devices.push(t),this.channels.set(t,s),ye(s,{open:this.changed,closed:this.changed,removed:()=>this.gone(t),pending:({detail:o})=>this.requests.listed(t,o.txlnkid),withdrawal:({detail:o})=>{this.requests.withdraw(o.txlnkid),Dt(o.txlnkid)},notification:({detail:o})=>this.requests.add(t,o.mfa,o.urgent,o.record)}),s.start(),t}async enrolled(e){for(let t of this.devices.filter(({account:{userId:s}})=>s===e.userId))this.leave(t);this.join(e),this.isNew=!0,this.notice=void 0,this.usedCode=this.link?.code,this.lost=[],this.link=void 0,this.begin(),this.render(),this.focus(),this.notifyTabs(),this.renew().catch(console.error)}notifyTabs=()=>this.requests.tabs.postMessage({});leave(e){this.channels.get(e)?.stop(),this.channels.delete(e),this.devices=this.devices.filter(t=>t!==e),this.requests.drop(e),this.devices.length===0&&this.begin()}begin(){history.replaceState(null,"","/approver"),this.tab="requests"}removed(e){this.leave(e),this.notifyTabs(),this.render(),this.focus()}async gone(e){this.devices.includes(e)&&(await he(e.account.id),await fe(({id:t})=>t===e.account.id),this.leave(e),this.notice=i("p.notice",{role:"alert"},b("gone",{account:e.account.label})),this.render())}banner(){let e=i("div");return We(this.settings).then(t=>{let s=this.isNew&&i("p.notice",{role:"status"},a("ready")),r={off:()=>m("allow",a("turnOn"),async()=>{await W(()=>ot(this.settings,this.devices)),this.render()}),install:()=>i("a",{href:"#settings"},a("installApple"))}[t]?.();e.append(i("div",s,t!=="on"&&i("section.notice",i("h2",a("notifications")),i("p",a(`push_${t}`)),r)))}),e}listen(){let e=({type:t})=>{this.isOnline=navigator.onLine;let s=!this.isOnline||t==="visibilitychange";for(let o of this.channels.values())(s||!o.isFresh)&&o.restart();this.changed()};ye(window,{hashchange:()=>{this.notice=void 0,this.follow()},online:e,offline:e,resize:()=>this.home.watch(),beforeinstallprompt:t=>{t.preventDefault(),this.installer=t}}),document.addEventListener("visibilitychange",e),navigator.serviceWorker?.addEventListener("message",t=>{t.data.request&&(location.hash=`request=${t.data.request}`),e(t)}),ye(this.requests,{change:this.changed,accounts:()=>this.sync().catch(console.error),listed:({detail:t})=>Zn(t.device.account.id,t.ids),over:({detail:t})=>Dt(t.id),lost:({detail:t})=>this.channels.get(t.device)?.restart(),removed:({detail:t})=>this.gone(t)}),setInterval(()=>this.tick(),1e3)}tick(){this.requests.expire(),this.home.tick();for(let e of this.home.shown){let t=this.requests.all.get(e);if(t?.state!=="open")continue;let s=Math.ceil((t.expiresAt-D())/1e3);Zo.includes(s)&&this.live.replaceChildren(...Nt(t))}}},Yo=async()=>{let n=rs();n?document.body.replaceChildren(is(n)):await new Ft(Qo()).start()};Yo().catch(n=>{console.error(n),document.body.replaceChildren(i("main",i("section.page",T(a("cannotStart")),i("p",a("cannotStartLead")),m("allow",a("tryAgain"),()=>location.reload()))))});export{Ft as App};
