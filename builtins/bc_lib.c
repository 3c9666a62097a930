/* bc_lib.c - the mathematical library of bc -l, in bc itself
 *
 * Every function works with some digits more than asked for and cuts the result; constants have one
 * digit, so that the input base does not matter.
 */
#include "builtins/bc.h"

const char wk_bc_library[] =
    "scale=F+5\n"
    /* e^x: x is halved to at most 1, the series, then as many squares. */
    "define e(x){\nauto a,d,i,m,s,t,v,z\n"
    "z=scale;if(x<0){s=1;x=-x}\n"
    "scale=0;d=x*4/9;t=z+8+d\nscale=t+2*length(d)\n"
    "while(x>1){m+=1;x/=2}\n"
    "v=1+x;a=x\n"
    "for(i=2;1;i++){a=a*x/i;if(a==0){break};v+=a}\n"
    "for(;m>0;m--)v=v*v\n"
    "scale=z;if(s)return 1/v\nreturn v/1}\n"
    /* log: roots until x is near 1, then 2 (y + y^3/3 + …) of y = (x-1)/(x+1). */
    "define l(x){\nauto a,f,i,q,v,y,z\n"
    "z=scale;if(x<=0)return (1-A^scale)/1\n"
    "scale=z+8+length(x)\nf=2\n"
    "while(x>=2){f*=2;x=sqrt(x)}\nwhile(x<=1/2){f*=2;x=sqrt(x)}\n"
    "y=(x-1)/(x+1);v=y;q=y*y;a=y\n"
    "for(i=3;1;i+=2){a*=q;y=a/i;if(y==0){break};v+=y}\n"
    "v*=f;scale=z;return v/1}\n"
    /* sine: what is left of x after the nearest multiple of pi, the series. */
    "define s(x){\nauto a,i,m,n,p,s,v,z\n"
    "z=scale;if(x<0){m=1;x=-x}\n"
    "scale=0;n=x/1\nscale=z+8+length(n)\n"
    "if(x>1){p=a(1);scale=0;n=(x/p+2)/4;i=n%2;scale=z+8+length(n);x=x-4*n*p;if(i)x=-x}\n"
    "scale=z+8;v=x;a=x;s=-x*x\n"
    "for(i=3;1;i+=2){a=a*s/(i*(i-1));if(a==0){break};v+=a}\n"
    "scale=z;if(m)return -v/1\nreturn v/1}\n"
    "define c(x){\nauto v,z\n"
    "z=scale;scale=0;v=x/1\nscale=z+8+length(v)\nv=s(x+2*a(1));scale=z;return v/1}\n"
    /* arc tangent: 1/5 is taken off the angle's tangent as often as possible, the series. */
    "define a(x){\nauto a,e,f,i,m,q,v,z\n"
    "z=scale;if(x<0){m=1;x=-x}\n"
    "scale=z+8\n"
    "if(x>1/5){f=a(1/5)}\n"
    "while(x>1/5){e+=1;x=(x-1/5)/(1+x/5)}\n"
    "v=x;a=x;q=-x*x\n"
    "for(i=3;1;i+=2){a*=q;e+=0;x=a/i;if(x==0){break};v+=x}\n"
    "v+=e*f;scale=z;if(m)return -v/1\nreturn v/1}\n"
    /* Bessel function of whole order: its power series. */
    "define j(n,x){\nauto a,d,i,m,s,v,z\n"
    "z=scale;scale=0;n/=1\nif(n<0){n=-n;if(n%2)m=1}\n"
    "d=x*4/9;if(d<0)d=-d\n"
    "scale=z+8+d+length(n)\n"
    "a=1;for(i=1;i<=n;i++)a=a*x/(2*i)\n"
    "v=a;s=-x*x/4\n"
    "for(i=1;1;i++){a=a*s/(i*(n+i));if(a==0){break};v+=a}\n"
    "scale=z;if(m)return -v/1\nreturn v/1}\n";
